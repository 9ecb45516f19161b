import { mayManage } from '../chat/access.ts'
import type { ApprovalEntry } from '../chat/entry.ts'
import type { Person, Role } from '../chat/person.ts'
import { duration } from '../lib/duration.ts'
import { visibleText } from '../lib/visible-text.ts'
import type { PermissionRequest } from '../tools/tool.ts'

/** How long `/allow room` lasts, in milliseconds: a working day. */
export const ROOM_GRANT_MS = 8 * 60 * 60 * 1000

/** What can be answered to a question. */
export type Verdict = Extract<ApprovalEntry['verdict'], 'once' | 'room' | 'always' | 'denied'>

/**
 * What the room is asked: who wants what, every line of it, and how to answer. The lines of what is wanted
 * stand behind a bar each, so that none can pass for words of ours, and nothing in them stays invisible.
 */
export function questionText(number: number, asked: PermissionRequest, answerMs: number): string {
  const { requester, model, tool, access, detail } = asked
  const who = model === undefined ? requester.name : `@${model}, for ${requester.name},`
  return [
    `question ${number}: may ${who} use ${tool} (${access})?`,
    ...visibleText(detail)
      .split('\n')
      .map((line) => `| ${line}`),
    `${asked.onceOnly ? 'an admin' : `${requester.name} or an op`} answers within ${duration(answerMs)}: ${waysToAnswer(number, asked)}`,
  ].join('\n')
}

function waysToAnswer(number: number, asked: PermissionRequest): string {
  const deny = `or /deny ${number}`
  if (onlyOnce(asked)) return `/allow ${number} (this once) ${deny}`
  const what = covered(asked)
  const room = `/allow room ${number} (${what}, here, for ${duration(ROOM_GRANT_MS)})`
  const always = `/allow always ${number} (${what}, here, until /perms revoke)`
  return `/allow ${number} (this once), ${room}, ${always} ${deny}`
}

const COVERED_CHARS = 60

/** What a grant would be for: `write_file for "a.txt"`, whatever is written to it. */
function covered({ tool, target }: PermissionRequest): string {
  const shown = visibleText(target).replaceAll('\n', ' ')
  return `${tool} for "${shown.length > COVERED_CHARS ? `${shown.slice(0, COVERED_CHARS)}…` : shown}"`
}

/** True where nothing may be allowed beyond the call: for what is too much, and for who has no name of their own. */
export const onlyOnce = ({ onceOnly, access, requester }: PermissionRequest): boolean =>
  onceOnly === true || access === 'network' || requester.guest

/**
 * Who may say yes: the requester and who manages the room; to the machine's own network, and to a command without a
 * sandbox, only an admin of the server: a room of one's own is quickly made. A no is the requester's to say, always.
 */
export function mayAnswer(verdict: Verdict, asked: PermissionRequest, person: Person, role: Role): boolean {
  if (asked.onceOnly && verdict !== 'denied') return role === 'admin'
  return asked.requester.id === person.id || mayManage(role)
}

/** What the room is told of an answer: `allowed once (question 3: run_command for alice)`. */
export const answerText = (verdict: Verdict, number: number, asked: PermissionRequest): string =>
  `${ANSWERED[verdict]} (question ${number}: ${toolFor(asked)})`

/** `run_command for alice` */
export const toolFor = ({ tool, requester }: PermissionRequest): string => `${tool} for ${requester.name}`

const ANSWERED: Readonly<Record<Verdict, string>> = {
  once: 'allowed once',
  room: `allowed here for ${duration(ROOM_GRANT_MS)}`,
  always: 'allowed here until it is revoked',
  denied: 'denied',
}
