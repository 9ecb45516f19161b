import { duration } from '../../base/amounts.ts'
import { visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { ROOM_GRANT_MS, whyOnlyOnce } from './policy.ts'
import type { ApprovalSubject, Verdict } from './ports.ts'

/** A bar marks the detail's lines, so that they cannot pass for our words. Shows invisible characters. */
export function questionText(number: number, asked: ApprovalSubject, answerMs: number): string {
  const { model, tool, access, detail } = asked
  const who = model === undefined ? requesterOf(asked) : `@${model}, for ${requesterOf(asked)},`
  return [
    `question ${number}: may ${who} use ${tool} (${access})?`,
    ...visibleText(detail)
      .split('\n')
      .map((line) => `| ${line}`),
    `${answererText(asked)} answers within ${duration(answerMs)}:`,
    `/allow ${number} – this once`,
    ...(whyOnlyOnce(asked) === undefined
      ? [
          `/allow room ${number} – ${grantText(asked)}, in this room, for ${ROOM_GRANT_MS / 3_600_000} hours`,
          `/allow always ${number} – the same, until /perms revoke${asked.needsOp ? '' : ' (ops only)'}`,
        ]
      : []),
    `/deny ${number}`,
  ].join('\n')
}

export function answererText({ onceOnly, answeredBy, needsOp, requester }: ApprovalSubject): string {
  if (answeredBy)
    return {
      requester: `${requester.name} alone`,
      members: 'anybody here with a name of their own',
      ops: 'an op of this room',
      admins: 'an admin',
    }[answeredBy]
  if (onceOnly) return 'an admin'
  return needsOp ? 'an op of this room' : `${requester.name} or an op`
}

const MAX_TARGET_CHARS = 60

/** What a grant would cover: `write_file for "a.txt"`, with any content. */
function grantText({ tool, target, detail }: ApprovalSubject): string {
  if (target === detail) return 'exactly this'
  const shown = visibleLine(target)
  return `${tool} for "${shown.length > MAX_TARGET_CHARS ? `${shown.slice(0, MAX_TARGET_CHARS)}…` : shown}"`
}

/** `allowed once (question 3: run_command for alice)` */
export const answerText = (verdict: Verdict, number: number, asked: ApprovalSubject): string =>
  `${ANSWERED[verdict]} (question ${number}: ${toolFor(asked)})`

const ANSWERED: Readonly<Record<Verdict, string>> = {
  once: 'allowed once',
  room: `allowed here for ${duration(ROOM_GRANT_MS)}`,
  always: 'allowed here until it is revoked',
  denied: 'denied',
}

export const toolFor = (asked: ApprovalSubject): string => `${asked.tool} for ${requesterOf(asked)}`

const requesterOf = ({ requester: { name }, routine }: ApprovalSubject): string =>
  routine ? `${name} (routine ${routine.number})` : name

export const approvalFacts = ({ turn, tool, requester }: ApprovalSubject) => ({
  kind: 'approval' as const,
  tool,
  requester: requester.name,
  ...(turn === undefined ? {} : { turn }),
})
