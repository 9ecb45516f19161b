import type { Entry, RoomName, TurnOutcome } from '../chat/entry.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock, EntryLog } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import { isHandOver } from './fallback.ts'
import type { TurnRecord, TurnStore } from './ports.ts'

/** What is needed to end the turns that a server left open which has died. */
export interface CutTurnsParts {
  readonly turns: Pick<TurnStore, 'unfinished' | 'finish'>
  readonly log: Pick<EntryLog, 'read'>
  readonly clock: Clock
  /** A room by name; undefined where it is gone. */
  readonly room: (name: RoomName) => Promise<Room | undefined>
}

/**
 * Gives the function that ends the turns which a crash cut off, and tells their rooms. It is to be called at the start, before
 * anything else happens in the rooms, and whenever another server has died. It resolves to their number, and rejects with
 * `StorageError`; then a further call does the rest.
 */
export function createMarkCutTurns(parts: CutTurnsParts): () => Promise<number> {
  const inTurn = createSerial()
  /** Found, and not yet ended: nobody else finds them. */
  const cut = new Set<TurnRecord>()
  return () =>
    inTurn(async () => {
      for (const turn of await parts.turns.unfinished()) cut.add(turn)
      const count = cut.size
      for (const turn of cut) {
        await endTurn(turn, parts)
        cut.delete(turn)
      }
      return count
    })
}

async function endTurn(turn: TurnRecord, { turns, log, clock, room }: CutTurnsParts): Promise<void> {
  const said = await log.read(turn.room, { limit: 200, kinds: ['reply', 'notice'] })
  const known = endIn(said.filter((entry) => 'turn' in entry && entry.turn === turn.id))
  if (known === undefined) await tellRoom(await room(turn.room), turn)
  await turns.finish(turn.id, { endedAt: clock.now(), outcome: known ?? 'cut' })
}

/** The crash may have come after the end was recorded, and before the turn was ended. A reply without an outcome was said before a call. */
function endIn(entries: readonly Entry[]): TurnOutcome | undefined {
  const reply = entries.find((entry) => entry.kind === 'reply' && entry.outcome !== undefined)
  if (reply?.kind === 'reply') return reply.outcome
  const notice = entries.find((entry) => entry.kind === 'notice' && !isHandOver(entry))
  return notice?.kind === 'notice' ? (notice.level === 'info' ? 'stopped' : 'cut') : undefined
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
