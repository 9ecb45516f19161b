import type { EntryId, RoomName, TurnId } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import { createDeferred, type Deferred } from '../lib/deferred.ts'
import { nextInLine } from '../lib/jobs/next-in-line.ts'
import { countedAre } from '../lib/plural.ts'
import type { ReportDoing } from '../toolbox/call-context.ts'

/** A turn that somebody called for. */
export interface CalledTurn {
  readonly id: TurnId
  readonly room: RoomName
  /** The model's name. */
  readonly model: string
  /** The requester's name of now. */
  readonly requester: string
  readonly requesterId: PersonId
  /** The entry that it answers. */
  readonly message: EntryId
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** A turn that runs, or waits for its slot, on whichever server. */
export interface TurnAtWork extends CalledTurn {
  /** True where another server runs it. */
  readonly isElsewhere?: boolean
  /** `waiting`, `thinking`, `writing`, or the name of the tool that runs. */
  doing(): string
  /** How far that tool is, as it says. */
  progress(): ToolProgress | undefined
  /** Ends the turn soon, and tells the room the reason. Does nothing if it has ended. */
  cancel(reason?: string): void
  /** Resolves when it has ended and is recorded, however that went. */
  ended(): Promise<unknown>
}

/** One turn's slot in the queue of its room. */
export interface QueueSlot {
  /** Resolves when the turn may run, or when it gave up waiting. */
  readonly ready: Promise<void>
  /** Stops waiting; does nothing if the turn runs already. */
  giveUp(): void
  /** Frees the slot for the next turn. Does nothing the second time. */
  leave(): void
  /** What the turn does now, for those who see it from elsewhere. */
  readonly report: ReportDoing
}

/** How many turns run at once in a room, and how many wait. */
export interface QueueLimits {
  readonly turns_per_room: number
  readonly turns_queued: number
}

/** The slots of all rooms: of this server where it is alone, else of all servers together. */
export interface TurnSlots {
  /**
   * Takes a slot for somebody's turn, or lets it wait. `stop` is called where the turn is stopped from elsewhere. Rejects
   * with `Refusal` when the queue is full, and with `StorageError`.
   */
  take(turn: CalledTurn, stop: (reason: string) => void): Promise<QueueSlot>
  /** The turns of other servers, in order of their start. */
  elsewhere(room?: RoomName): readonly TurnAtWork[]
}

interface QueuedTurn extends Deferred<void> {
  readonly owner: PersonId
}

interface RoomQueue {
  readonly running: Set<QueuedTurn>
  readonly waiting: Set<QueuedTurn>
}

/** One queue for each room. The first to come runs first, but a person without a running turn goes before one who has some. */
export function createTurnQueue(limits: QueueLimits): TurnSlots {
  const queues = new Map<RoomName, RoomQueue>()

  function take(room: RoomName, owner: PersonId): QueueSlot {
    const queue = queues.get(room) ?? { running: new Set(), waiting: new Set() }
    const turn = { ...createDeferred<void>(), owner }
    if (queue.running.size < limits.turns_per_room) admit(queue, turn)
    else if (queue.waiting.size < limits.turns_queued) queue.waiting.add(turn)
    else throw new Refusal(queueIsFull(queue.running.size, queue.waiting.size))
    queues.set(room, queue)
    return {
      ready: turn.promise,
      giveUp() {
        if (queue.waiting.delete(turn)) turn.resolve()
      },
      leave() {
        if (!queue.waiting.delete(turn) && !queue.running.delete(turn)) return
        const { running, waiting } = queue
        const next = running.size < limits.turns_per_room ? nextInLine(running, waiting) : undefined
        if (next) admit(queue, next)
        if (running.size === 0) queues.delete(room)
      },
      report() {},
    }
  }

  return {
    take: async ({ room, requesterId }) => take(room, requesterId),
    elsewhere: () => [],
  }
}

function admit(queue: RoomQueue, turn: QueuedTurn): void {
  queue.waiting.delete(turn)
  queue.running.add(turn)
  turn.resolve()
}

/** What somebody reads who cannot even wait. */
export const queueIsFull = (running: number, waiting: number): string =>
  `${countedAre(running, 'model')} at work here and ${waiting} ${waiting === 1 ? 'waits' : 'wait'}; ask again when one is done, or use /stop`
