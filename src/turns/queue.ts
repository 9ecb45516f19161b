import type { EntryId, RoomName, TurnId } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { SERVER_LOST, type Slot, type SlotLimits, type Slots } from '../chat/index.ts'
import type { PersonId } from '../words/person.ts'
import type { ToolProgress } from '../words/tool-progress.ts'
import { countedAre } from '../base/amounts.ts'

export interface CalledTurn {
  readonly id: TurnId
  readonly room: RoomName
  readonly model: string
  /** The requester's current name. */
  readonly requester: string
  readonly requesterId: PersonId
  readonly message: EntryId
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** A turn that runs or waits for its slot, on any server. */
export interface TurnAtWork extends CalledTurn {
  /** `waiting`, `thinking`, `writing`, or the name of the tool that runs. */
  doing(): string
  progress(): ToolProgress | undefined
  /** Ends the turn soon, and tells the room the reason. Does nothing if it has ended. */
  cancel(reason?: string): void
  /** Resolves when the turn has ended and is recorded, whatever its outcome. */
  ended(): Promise<unknown>
}

export interface QueueLimits {
  readonly turns_per_room: number
  readonly turns_queued: number
}

/**
 * Takes a slot, or queues the turn: each room has one queue on all servers, and one panel. Calls `stop` if
 * another server stops the turn or the slot is lost. Rejects with `Refusal` (full queue) and `StorageError`.
 */
export async function takeTurnSlot(
  slots: Pick<Slots, 'take'>,
  { id, room, requesterId: person, model, requester, message }: CalledTurn,
  limits: QueueLimits,
  stop: (reason: string) => void,
  kind: 'turn' | 'panel' = 'turn',
): Promise<Slot> {
  const facts = { model, requester, message } satisfies TurnFacts
  const isPanel = kind === 'panel'
  const slot = await slots.take(
    { id, kind: 'turn', queue: `${kind} ${room}`, room, person, facts },
    () =>
      isPanel ? { running: 1, waiting: 0 } : { running: limits.turns_per_room, waiting: limits.turns_queued },
    { stop, lost: () => stop(`@${model} was stopped: ${SERVER_LOST}`) },
  )
  if ('running' in slot)
    throw new Refusal(
      isPanel ? `a panel is at work in ${room}; ask again when it is done, or use /stop` : queueIsFull(slot),
    )
  return slot
}

/** The turns of other servers, in the order of their start. */
export const remoteTurns = (slots: Pick<Slots, 'others'>, room?: RoomName): readonly TurnAtWork[] =>
  slots.others('turn', room).map((work) => {
    const { model, requester, message } = work.facts as { readonly [Key in keyof TurnFacts]: string }
    return {
      id: work.id as TurnId,
      room: work.room,
      model,
      requester,
      requesterId: work.person,
      message: message as EntryId,
      startedAt: work.startedAt,
      doing: () => (work.waits ? 'waiting' : (work.doing.what ?? 'thinking')),
      progress: () => work.doing.progress,
      cancel: (reason = `@${model} was stopped`) => work.stop(reason),
      ended: work.ended,
    }
  })

type TurnFacts = Pick<CalledTurn, 'model' | 'requester' | 'message'>

const queueIsFull = ({ running, waiting }: SlotLimits): string =>
  `${countedAre(running, 'model')} at work here and ${waiting} ${waiting === 1 ? 'waits' : 'wait'}; ask again when one is done, or use /stop`
