import type { ApprovalEntry, Entry, ToolCallEntry, ToolResultEntry } from '../chat/entry.ts'

/**
 * Tool calls and their results as one line each: it is drawn again while a permission is asked for and while the tool runs, and
 * stands above with the result.
 */
export interface CallFold {
  /** What is to be shown now that the log goes on with this entry. A call waits for its result, or the end of its turn. */
  take(entry: Entry): readonly Entry[]
  /** The call of a result that was taken. */
  callOf(entry: Entry): ToolCallEntry | undefined
  /** Those that wait, in order: questions without an answer, and calls without a result. */
  waiting(): readonly WaitingEntry[]
}

/** A call that runs, or the question that it waits for. */
export type WaitingEntry = ToolCallEntry | ApprovalEntry

/** No tool runs longer; the call of one that did was cut off by a crash. */
const MAX_CALL_MS = 1_200_000

/** `wallNow` gives milliseconds since the epoch. */
export function createCallFold(wallNow: () => number): CallFold {
  const held = new Map<string, WaitingEntry>()
  const calls = new WeakMap<Entry, ToolCallEntry>()

  function hold(entry: WaitingEntry): boolean {
    const isTooOld = wallNow() - entry.at > MAX_CALL_MS
    if (!isTooOld) held.set(keyOf(entry), entry)
    return !isTooOld
  }

  function result(entry: ToolResultEntry): readonly Entry[] {
    const call = held.get(keyOf(entry))
    if (call?.kind === 'tool_call') calls.set(entry, call)
    held.delete(keyOf(entry))
    return [entry]
  }

  /** A question stands above by itself; here it waits for its answer. */
  function approval(entry: ApprovalEntry): readonly Entry[] {
    if (entry.verdict === 'asked') hold(entry)
    else for (const [key, one] of held) if (isAnswer(entry, one)) held.delete(key)
    return [entry]
  }

  /** Calls whose result will not come. */
  function unanswered(turn: string | undefined): readonly Entry[] {
    const gone = [...held].filter(([, one]) => one.turn !== undefined && one.turn === turn)
    for (const [key] of gone) held.delete(key)
    return gone.flatMap(([, one]) => (one.kind === 'tool_call' ? [one] : []))
  }

  return {
    take(entry) {
      if (entry.kind === 'tool_result') return result(entry)
      if (entry.kind === 'approval') return approval(entry)
      if (entry.kind === 'reply' && entry.outcome !== undefined) return [...unanswered(entry.turn), entry]
      if (entry.kind === 'notice') return [...unanswered(entry.turn), entry]
      if (entry.kind === 'tool_call' && hold(entry)) return []
      return [entry]
    },
    callOf: (entry) => calls.get(entry),
    waiting: () => (held.size === 0 ? NONE : [...held.values()]),
  }
}

/** As a rule there are none, and it is asked for at each painting. */
const NONE: readonly WaitingEntry[] = []

function keyOf(entry: WaitingEntry | ToolResultEntry): string {
  const { turn = '', thread = '' } = entry
  return entry.kind === 'approval' ? `question ${entry.question}` : `${turn} ${thread} ${entry.call}`
}

/** That nobody answered is told without the question's number. */
const isAnswer = ({ question, turn, tool, requester }: ApprovalEntry, asked: WaitingEntry): boolean =>
  asked.kind === 'approval' &&
  (question === undefined
    ? asked.turn === turn && asked.tool === tool && asked.requester === requester
    : asked.question === question)
