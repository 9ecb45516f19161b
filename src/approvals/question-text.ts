import { duration } from '../lib/duration.ts'
import { visibleLine, visibleText } from '../lib/text/visible-text.ts'
import { ROOM_GRANT_MS, whyOnlyOnce } from './policy.ts'
import type { AskedFor, Verdict } from './ports.ts'

/** Characters of a target that the question shows. */
const MAX_TARGET_CHARS = 60

/**
 * What the room is asked: who wants what, in full, and what to type, each on a line of its own. A bar stands
 * before each line of what is wanted, so that none of them can look like our own words. Characters that a
 * terminal does not show are made visible.
 */
export function questionText(number: number, asked: AskedFor, answerMs: number): string {
  const { requester, model, tool, access, detail } = asked
  const who = model === undefined ? requester.name : `@${model}, for ${requester.name},`
  return [
    `question ${number}: may ${who} use ${tool} (${access})?`,
    ...visibleText(detail)
      .split('\n')
      .map((line) => `| ${line}`),
    `${asked.onceOnly ? 'an admin' : `${requester.name} or an op`} answers within ${duration(answerMs)}:`,
    ...waysToAnswer(number, asked),
  ].join('\n')
}

function waysToAnswer(number: number, asked: AskedFor): readonly string[] {
  const what = grantText(asked)
  const lasting = [
    `/allow room ${number} (${what}, here, for ${duration(ROOM_GRANT_MS)})`,
    `/allow always ${number} (${what}, here, until /perms revoke)`,
  ]
  return [
    `/allow ${number} (this once)`,
    ...(whyOnlyOnce(asked) !== undefined ? [] : lasting),
    `/deny ${number}`,
  ]
}

/** What a grant would cover: `write_file for "a.txt"`, whatever is written to the file. */
function grantText({ tool, target, detail }: AskedFor): string {
  if (target === detail) return 'exactly this'
  const shown = visibleLine(target)
  return `${tool} for "${shown.length > MAX_TARGET_CHARS ? `${shown.slice(0, MAX_TARGET_CHARS)}…` : shown}"`
}

/** What the room is told of a decision: `allowed once (question 3: run_command for alice)`. */
export const answerText = (verdict: Verdict, number: number, asked: AskedFor): string =>
  `${ANSWERED[verdict]} (question ${number}: ${toolFor(asked)})`

const ANSWERED: Readonly<Record<Verdict, string>> = {
  once: 'allowed once',
  room: `allowed here for ${duration(ROOM_GRANT_MS)}`,
  always: 'allowed here until it is revoked',
  denied: 'denied',
}

/** `run_command for alice` */
export const toolFor = ({ tool, requester }: AskedFor): string => `${tool} for ${requester.name}`

/** What all entries about one request have in common. */
export const approvalFacts = ({ turn, tool, requester }: AskedFor) => ({
  kind: 'approval' as const,
  tool,
  requester: requester.name,
  ...(turn === undefined ? {} : { turn }),
})
