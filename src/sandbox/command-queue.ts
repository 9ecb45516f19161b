import { totalmem } from 'node:os'
import pLimit, { type LimitFunction } from 'p-limit'

export type CommandQueue = <T>(room: string, signal: AbortSignal, start: () => Promise<T>) => Promise<T>

/** Fraction of the machine's memory for all commands together, if each takes all that it may. */
const MEMORY_SHARE = 0.5

/** Commands that run at once even on a small machine. */
const MIN_AT_ONCE = 2
const MAX_AT_ONCE = 32

/** Commands of one room that run at once, so that no room occupies the whole queue. */
const MAX_OF_ROOM = 4

/** Runs as many commands as fit in memory at `memoryBytes` each. Others wait within their time limits. */
export function createCommandQueue(memoryBytes: number): CommandQueue {
  const atOnce = commandsAtOnce(memoryBytes)
  const server = pLimit(atOnce)
  const rooms = new Map<string, LimitFunction>()
  return async (room, signal, start) => {
    const own = rooms.get(room) ?? pLimit(Math.min(MAX_OF_ROOM, Math.ceil(atOnce / 2)))
    rooms.set(room, own)
    return await own(() =>
      server(() => {
        signal.throwIfAborted()
        return start()
      }),
    )
  }
}

/** The memory is this machine's, or its container's (`process.constrainedMemory`; 0 or huge without one). */
function commandsAtOnce(memoryBytes: number): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.max(MIN_AT_ONCE, Math.min(MAX_AT_ONCE, Math.floor((memory * MEMORY_SHARE) / memoryBytes)))
}
