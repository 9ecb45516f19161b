import type { ApprovalEntry, Entry, RoomName, ToolCallEntry, ToolResultEntry } from '../../words/entry.ts'
import type { PendingCall } from '../drawing/call-row.ts'

/** No tool runs longer. An older call without a result was cut off by a crash. */
const MAX_CALL_MS = 1_200_000

/** Calls and questions without a result. Each is one row that is redrawn until its result comes. */
export class PendingCalls {
  readonly #wallNow: () => number
  readonly #pending = new Map<string, PendingCall>()
  readonly #calls = new WeakMap<Entry, ToolCallEntry>()

  constructor(wallNow: () => number) {
    this.#wallNow = wallNow
  }

  /** Returns the entries to show now. A call is shown with its result, or at the end of its turn. */
  take(entry: Entry): readonly Entry[] {
    if (entry.kind === 'tool_call') return this.#hold(entry) ? [] : [entry]
    if (entry.kind === 'tool_result') this.#end(entry)
    if (entry.kind === 'approval') this.#ask(entry)
    const isEnd = entry.kind === 'notice' || (entry.kind === 'reply' && entry.outcome !== undefined)
    return isEnd ? [...this.#unanswered(entry.turn), entry] : [entry]
  }

  callOf(entry: Entry): ToolCallEntry | undefined {
    return this.#calls.get(entry)
  }

  all(): readonly PendingCall[] {
    return [...this.#pending.values()]
  }

  /** Drops the rows of rooms that the person has left, since their results are not shown. */
  keepOnly(room: RoomName): void {
    for (const [key, call] of this.#pending) if (call.room !== room) this.#pending.delete(key)
  }

  #hold(entry: PendingCall): boolean {
    const isTooOld = this.#wallNow() - entry.at > MAX_CALL_MS
    if (!isTooOld) this.#pending.set(keyOf(entry), entry)
    return !isTooOld
  }

  #end(result: ToolResultEntry): void {
    const call = this.#pending.get(keyOf(result))
    if (call?.kind === 'tool_call') this.#calls.set(result, call)
    this.#pending.delete(keyOf(result))
  }

  #ask(entry: ApprovalEntry): void {
    if (entry.verdict === 'asked') this.#hold(entry)
    else for (const [key, one] of this.#pending) if (isAnswer(entry, one)) this.#pending.delete(key)
  }

  #unanswered(turn: string | undefined): readonly Entry[] {
    const left = [...this.#pending].filter(([, one]) => one.turn !== undefined && one.turn === turn)
    for (const [key] of left) this.#pending.delete(key)
    return left.flatMap(([, one]) => (one.kind === 'tool_call' ? [one] : []))
  }
}

function keyOf(entry: PendingCall | ToolResultEntry): string {
  const { turn = '', thread = '' } = entry
  return entry.kind === 'approval' ? `question ${entry.question}` : `${turn} ${thread} ${entry.call}`
}

/** True if the entry ends the question `asked`. It has no number if nobody answered. */
export const isAnswer = ({ question, turn, tool, requester }: ApprovalEntry, asked: PendingCall): boolean =>
  asked.kind === 'approval' &&
  (question === undefined
    ? asked.turn === turn && asked.tool === tool && asked.requester === requester
    : asked.question === question)
