import type { Entry, RoomName, TurnOutcome } from '../chat/entry.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock, EntryLog } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import { isHandOver } from './turn-end.ts'
import type { TurnRecord, TurnStore } from './ports.ts'

/** What is needed to end the turns that a server left open which has died. */
interface CutTurnsParts {
  readonly turns: Pick<TurnStore, 'unfinished' | 'find' | 'finish'>
  readonly log: Pick<EntryLog, 'read'>
  readonly clock: Clock
  /** A room by name; undefined where it is gone. */
  readonly room: (name: RoomName) => Promise<Room | undefined>
}

/** Ends turns that have no end. All methods reject with `StorageError`; then a further call does the rest. */
interface CutTurns {
  /**
   * Ends those that a crash cut off, and tells their rooms. To be called at the start, before anything else happens in the rooms,
   * and whenever another server has died. Resolves to their number.
   */
  endAll(): Promise<number>
  /** Ends one whose end could not be stored. */
  end(id: string): Promise<void>
}

export function createCutTurns(parts: CutTurnsParts): CutTurns {
  const serially = createSerial()
  /** Found, and not yet ended: nobody else finds them. */
  const cut = new Set<TurnRecord>()
  return {
    endAll: () =>
      serially(async () => {
        for (const turn of await parts.turns.unfinished()) cut.add(turn)
        const count = cut.size
        for (const turn of cut) {
          await endTurn(turn, 'the server ended in the middle', parts)
          cut.delete(turn)
        }
        return count
      }),
    end: (id) =>
      serially(async () => {
        const turn = await parts.turns.find(id)
        if (turn && turn.endedAt === undefined) await endTurn(turn, 'its end could not be stored', parts)
      }),
  }
}

async function endTurn(
  turn: TurnRecord,
  why: string,
  { turns, log, clock, room }: CutTurnsParts,
): Promise<void> {
  const said = await log.read(turn.room, { limit: 200, kinds: ['reply', 'notice'] })
  const known = endIn(said.filter((entry) => 'turn' in entry && entry.turn === turn.id))
  if (known === undefined) await tellRoom(await room(turn.room), turn, why)
  await turns.finish(turn.id, { endedAt: clock.now(), outcome: known ?? 'cut' })
}

/** The crash may have come after the end was recorded, and before the turn was ended. A reply without an outcome was said before a call. */
function endIn(entries: readonly Entry[]): TurnOutcome | undefined {
  const reply = entries.find((entry) => entry.kind === 'reply' && entry.outcome !== undefined)
  if (reply?.kind === 'reply') return reply.outcome
  const notice = entries.find((entry) => entry.kind === 'notice' && !isHandOver(entry))
  return notice?.kind === 'notice' ? (notice.level === 'info' ? 'stopped' : 'cut') : undefined
}

async function tellRoom(
  room: Room | undefined,
  { id, model, requester }: TurnRecord,
  why: string,
): Promise<void> {
  await room?.record({
    kind: 'notice',
    level: 'error',
    author: SYSTEM,
    turn: id,
    text: `@${model}'s answer to ${requester} was cut off: ${why}; ask again`,
  })
}
