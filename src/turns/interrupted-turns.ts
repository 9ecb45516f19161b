import type { Entry, RoomName, TurnOutcome } from '../words/entry.ts'
import { StorageError } from '../words/errors.ts'
import { SYSTEM } from '../words/names.ts'
import type { EntryLog, Room } from '../chat/index.ts'
import type { Alarm, Clock, Log } from '../base/environment.ts'
import { createSerial } from '../base/jobs/serial.ts'
import { isHandOver } from './turn-end.ts'
import type { TurnRecord, TurnStore } from './ports.ts'

interface InterruptedTurnsParts {
  readonly turns: Pick<TurnStore, 'unfinished' | 'find' | 'finish'>
  readonly entries: Pick<EntryLog, 'read'>
  readonly clock: Clock & Alarm
  readonly log: Log
  readonly room: (name: RoomName) => Promise<Room | undefined>
  /** True if servers share the database: failed writes are retried. Else the next start ends the turns. */
  readonly isShared: boolean
}

/** Milliseconds before the next try to end turns. */
const AGAIN_MS = 2_000

/** Ends turns whose end is not stored, such as after a crash. No method rejects with `StorageError`. */
export class InterruptedTurns {
  readonly #parts: InterruptedTurnsParts
  readonly #serially = createSerial()
  /** Unfinished turns that this server must end: no other server finds them. */
  readonly #found = new Set<TurnRecord>()

  constructor(parts: InterruptedTurnsParts) {
    this.#parts = parts
  }

  /**
   * Ends the turns that a crash interrupted, and tells their rooms. To be called at the start, before
   * anything else happens in the rooms, and when another server has died. People may join meanwhile.
   */
  readonly endAll = (): Promise<void> =>
    this.#untilStored(async () => {
      for (const turn of await this.#parts.turns.unfinished()) this.#found.add(turn)
      for (const turn of this.#found) {
        await this.#end(turn, 'the server ended in the middle')
        this.#found.delete(turn)
      }
    })

  /** Ends this server's turn whose end could not be stored. Does nothing unless servers share a database. */
  async endLost(id: string): Promise<void> {
    if (!this.#parts.isShared) return
    await this.#untilStored(async () => {
      const turn = await this.#parts.turns.find(id)
      if (turn && turn.endedAt === undefined) await this.#end(turn, 'its end could not be stored')
    })
  }

  async #untilStored(work: () => Promise<void>): Promise<void> {
    const { log, clock, isShared } = this.#parts
    try {
      await this.#serially(work)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.error({ error, reason: error.reason }, 'turns that were cut off could not be ended')
      if (isShared) clock.later(AGAIN_MS, () => void this.#untilStored(work))
    }
  }

  async #end(turn: TurnRecord, why: string): Promise<void> {
    const { turns, entries, clock, room } = this.#parts
    const said = await entries.read(turn.room, { limit: 200, kinds: ['reply', 'notice'] })
    const known = outcomeInLog(said.filter((entry) => 'turn' in entry && entry.turn === turn.id))
    if (known === undefined) await tellRoom(await room(turn.room), turn, why)
    await turns.finish(turn.id, { endedAt: clock.now(), outcome: known ?? 'cut' })
  }
}

/** The outcome in the log, which the stored turn may lack. A reply without an outcome came before a call. */
function outcomeInLog(entries: readonly Entry[]): TurnOutcome | undefined {
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
