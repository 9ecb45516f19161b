import type { RoomName } from '../chat/entry.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock, EntryLog } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { TurnRecord, TurnStore } from './ports.ts'

/** What is needed to end the turns that the last run of the server left open. */
export interface CutTurnsParts {
  readonly turns: Pick<TurnStore, 'unfinished' | 'finish'>
  readonly log: Pick<EntryLog, 'read'>
  readonly clock: Clock
  /** A room by name; undefined where it is gone. */
  readonly room: (name: RoomName) => Promise<Room | undefined>
}

/**
 * Ends the turns that a crash cut off, and tells their rooms. To be called once at the start, before anything else
 * happens in the rooms. Resolves to their number. Rejects with `StorageError`; then a second call does the rest.
 */
export async function markCutTurns(parts: CutTurnsParts): Promise<number> {
  const cut = await parts.turns.unfinished()
  for (const turn of cut) await endTurn(turn, parts)
  return cut.length
}

async function endTurn(turn: TurnRecord, { turns, log, clock, room }: CutTurnsParts): Promise<void> {
  // The crash may have come after the reply was recorded, and before the turn was ended.
  const replies = await log.read(turn.room, { limit: 200, kinds: ['reply'] })
  // A reply without an outcome was said before a call.
  const answered = replies.some(
    (entry) => entry.kind === 'reply' && entry.turn === turn.id && entry.outcome !== undefined,
  )
  if (!answered) await tellRoom(await room(turn.room), turn)
  await turns.finish(turn.id, { endedAt: clock.now(), outcome: answered ? 'done' : 'cut' })
}

async function tellRoom(room: Room | undefined, { id, model, requester }: TurnRecord): Promise<void> {
  await room?.record({
    kind: 'notice',
    level: 'error',
    author: SYSTEM,
    turn: id,
    text: `@${model}'s answer to ${requester} was cut off: the server ended in the middle; ask again`,
  })
}
