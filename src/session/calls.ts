import type { Entry, ToolCallEntry, ToolResultEntry } from '../chat/entry.ts'

/** Tool calls and their results as one line each: it is drawn again while the tool runs, and stands above with the result. */
export interface CallFold {
  /** What is to be shown now that the log goes on with this entry. A call waits for its result, or the end of its turn. */
  take(entry: Entry): readonly Entry[]
  /** The call of a result that was taken. */
  callOf(entry: Entry): ToolCallEntry | undefined
  /** Those that wait, in order. */
  waiting(): readonly ToolCallEntry[]
}

/** No tool runs longer; the call of one that did was cut off by a crash. */
const MAX_CALL_MS = 1_200_000

/** `wallNow` gives milliseconds since the epoch. */
export function createCallFold(wallNow: () => number): CallFold {
  const held = new Map<string, ToolCallEntry>()
  const calls = new WeakMap<Entry, ToolCallEntry>()

  function result(entry: ToolResultEntry): readonly Entry[] {
    const call = held.get(keyOf(entry))
    if (call) calls.set(entry, call)
    held.delete(keyOf(entry))
    return [entry]
  }

  /** Calls whose result will not come. */
  function unanswered(turn: string | undefined): readonly Entry[] {
    const gone = [...held].filter(([, call]) => call.turn !== undefined && call.turn === turn)
    for (const [key] of gone) held.delete(key)
    return gone.map(([, call]) => call)
  }

  return {
    take(entry) {
      if (entry.kind === 'tool_result') return result(entry)
      if (entry.kind === 'reply' && entry.outcome !== undefined) return [...unanswered(entry.turn), entry]
      if (entry.kind === 'notice') return [...unanswered(entry.turn), entry]
      if (entry.kind !== 'tool_call' || wallNow() - entry.at > MAX_CALL_MS) return [entry]
      held.set(keyOf(entry), entry)
      return []
    },
    callOf: (entry) => calls.get(entry),
    waiting: () => [...held.values()],
  }
}

const keyOf = ({ turn, thread, call }: ToolCallEntry | ToolResultEntry): string =>
  `${turn ?? ''} ${thread ?? ''} ${call}`
