import type { RoomName, TurnId } from '../chat/entry.ts'
import { SYSTEM } from '../chat/names.ts'
import type { Clock, EntryLog } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { TurnRecord, TurnStore } from './ports.ts'

/** What the start of the server needs to end what its last end left open. */
export interface CutTurnsParts {
  readonly turns: Pick<TurnStore, 'unfinished' | 'finish'>
  readonly log: Pick<EntryLog, 'read'>
  readonly clock: Clock
  /** A room by name; undefined where it is gone. */
  readonly room: (name: RoomName) => Promise<Room | undefined>
}

/**
 * Ends the turns that a crash cut off, and says so in their rooms; to be called once, before anything else
 * happens in the rooms. Gives their number. Rejects with `StorageError`; calling again goes on.
 */
export async function markCutTurns(parts: CutTurnsParts): Promise<number> {
  const cut = await parts.turns.unfinished()
  for (const turn of cut) await endTurn(turn, parts)
  return cut.length
}

async function endTurn(turn: TurnRecord, parts: CutTurnsParts): Promise<void> {
  const name = turn.room as RoomName
  // The crash may have come between the reply and the end of its turn.
  const answered = await wasAnswered(turn, parts.log)
  if (!answered) await tellRoom(await parts.room(name), turn)
  await parts.turns.finish(turn.id, { endedAt: parts.clock.now(), outcome: answered ? 'done' : 'cut' })
}

async function wasAnswered(turn: TurnRecord, log: Pick<EntryLog, 'read'>): Promise<boolean> {
  const replies = await log.read(turn.room as RoomName, { limit: 200, kinds: ['reply'] })
  return replies.some((entry) => entry.kind === 'reply' && entry.turn === turn.id)
}

async function tellRoom(room: Room | undefined, { id, model, requester }: TurnRecord): Promise<void> {
  await room?.record({
    kind: 'notice',
    level: 'error',
    author: SYSTEM,
    turn: id as TurnId,
    text: `@${model}'s answer to ${requester} was cut off: the server ended in the middle; ask again`,
  })
}
