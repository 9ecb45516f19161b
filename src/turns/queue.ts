import type { RoomName } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { countedAre } from '../lib/plural.ts'
import { createDeferred, type Deferred } from '../lib/deferred.ts'

/** One turn's slot in the queue of its room. */
export interface QueueSlot {
  /** Resolves when the turn may run, or when it gave up waiting. */
  readonly ready: Promise<void>
  /** Stops waiting; does nothing if the turn runs already. */
  giveUp(): void
  /** Frees the slot for the next turn. Does nothing the second time. */
  leave(): void
}

/** How many turns run at once in a room, and how many wait. */
export interface QueueLimits {
  readonly turns_per_room: number
  readonly turns_queued: number
}

/** Takes a slot in a room for somebody's turn. Throws `Refusal` when the queue is full. */
export type TakeSlot = (room: RoomName, owner: string) => QueueSlot

interface QueuedTurn extends Deferred<void> {
  readonly owner: string
}

interface RoomQueue {
  readonly running: Set<QueuedTurn>
  readonly waiting: Set<QueuedTurn>
}

/** One queue for each room. The first to come runs first, but a person without a running turn goes before one who has some. */
export function createTurnQueue(limits: QueueLimits): TakeSlot {
  const queues = new Map<RoomName, RoomQueue>()

  return (room, owner) => {
    const queue = queues.get(room) ?? { running: new Set(), waiting: new Set() }
    const turn = { ...createDeferred<void>(), owner }
    if (queue.running.size < limits.turns_per_room) admit(queue, turn)
    else if (queue.waiting.size < limits.turns_queued) queue.waiting.add(turn)
    else throw new Refusal(queueIsFull(queue))
    queues.set(room, queue)
    return {
      ready: turn.promise,
      giveUp() {
        if (queue.waiting.delete(turn)) turn.resolve()
      },
      leave() {
        if (!queue.waiting.delete(turn) && !queue.running.delete(turn)) return
        const next = queue.running.size < limits.turns_per_room ? nextOf(queue) : undefined
        if (next) admit(queue, next)
        if (queue.running.size === 0) queues.delete(room)
      },
    }
  }
}

function admit(queue: RoomQueue, turn: QueuedTurn): void {
  queue.waiting.delete(turn)
  queue.running.add(turn)
  turn.resolve()
}

function nextOf({ running, waiting }: RoomQueue): QueuedTurn | undefined {
  const busy = new Set([...running].map(({ owner }) => owner))
  return [...waiting].find(({ owner }) => !busy.has(owner)) ?? [...waiting][0]
}

const queueIsFull = ({ running, waiting }: RoomQueue): string =>
  `${countedAre(running.size, 'model')} at work here and ${waiting.size} ${waiting.size === 1 ? 'waits' : 'wait'}; ask again when one is done, or use /stop`
