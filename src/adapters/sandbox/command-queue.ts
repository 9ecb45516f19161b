import { totalmem } from 'node:os'
import pLimit, { type LimitFunction } from 'p-limit'

/** Starts a room's command as soon as it may run. */
export type CommandQueue = <T>(room: string, signal: AbortSignal, start: () => Promise<T>) => Promise<T>

/** Share of the machine's memory that all commands together may have, if each takes all that it may. */
const MEMORY_SHARE = 0.5

/** Commands that run at once on any machine, and at most. */
const MIN_AT_ONCE = 2
const MAX_AT_ONCE = 32

/** Of one room, so that no room has all of them. */
const MAX_OF_ROOM = 4

/**
 * Each command is held to `memoryBytes`; this holds all of them together, as far as there are so many that the machine could not
 * bear it: the others wait for their turn, within the time that their tools have.
 */
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

/** Of this machine, or of the container that the server runs in (`process.constrainedMemory`; 0 or huge without one). */
function commandsAtOnce(memoryBytes: number): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.max(MIN_AT_ONCE, Math.min(MAX_AT_ONCE, Math.floor((memory * MEMORY_SHARE) / memoryBytes)))
}
