import { mayManage } from '../../chat/access.ts'
import type { RoomName } from '../../chat/entry.ts'
import { Refusal, StorageError } from '../../chat/errors.ts'
import { SYSTEM } from '../../chat/people/names.ts'
import type { Log, MonotonicClock } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { duration } from '../../lib/amounts.ts'
import { errorMessage } from '../../lib/errors.ts'
import { headOf } from '../../lib/text/characters.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { WrapError } from '../../prompt/ports.ts'
import { TurnStopped } from '../turn-end.ts'
import { ModelError } from '../ports.ts'

/** What went wrong with the summaries of rooms: who was told, and when each is tried again. */
export interface Troubles {
  /** Takes in a failure: tells those who manage the room, once until it is over. Resolves to the pause in milliseconds. */
  happened(room: RoomName, error: unknown): Promise<number>
  /** It works, or there is nothing to do. */
  over(room: RoomName): void
  /** True while the pause after a failure lasts. */
  mustWait(room: RoomName): boolean
  /** What is wrong now, for people; undefined where nothing is. */
  of(room: RoomName): string | undefined
}

interface Trouble {
  readonly text: string
  readonly failures: number
  /** On the clock that never goes back. */
  readonly retryAt: number
  readonly told: boolean
}

/** Pauses after the first failure, the second, and so on; the last one holds for all further ones. */
const PAUSES_MS: readonly number[] = [60_000, 300_000, 900_000, 3_600_000]

/** Characters of a reason that people are told. */
const MAX_REASON_CHARACTERS = 300

/** What nobody foresaw is not for people; the log has it. */
const reasonOf = (error: unknown): string =>
  KNOWN.some((kind) => error instanceof kind)
    ? errorMessage(error)
    : 'it failed inside the server, and the log says why'

const KNOWN = [Refusal, StorageError, WrapError, ModelError, TurnStopped] as const

/** Nothing is stored: after a restart it is tried at once. */
export function createTroubles(
  anyRoom: (name: RoomName) => Promise<Room | undefined>,
  clock: MonotonicClock,
  log: Log,
): Troubles {
  const troubles = new Map<RoomName, Trouble>()

  async function tell(name: RoomName, text: string): Promise<boolean> {
    try {
      const room = await anyRoom(name)
      const present = room?.present() ?? []
      const manages = await Promise.all(present.map(async (one) => room && mayManage(await room.roleOf(one))))
      const managers = present.filter((_, index) => manages[index])
      room?.whisper(managers, { kind: 'notice', level: 'error', author: SYSTEM, text })
      return managers.length > 0
    } catch (error) {
      log.warn({ room: name, error }, 'trouble with a summary could not be told')
      return false
    }
  }

  return {
    async happened(name, error) {
      const before = troubles.get(name)
      const failures = (before?.failures ?? 0) + 1
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0
      const reason = headOf(cleanLine(reasonOf(error)), MAX_REASON_CHARACTERS)
      const text = `the summary of ${name} could not be made: ${reason}; it is tried again in ${duration(pause)}`
      log.warn({ room: name, failures, error }, 'a summary could not be made')
      const trouble = { text, failures, retryAt: clock.monotonic() + pause, told: before?.told ?? false }
      troubles.set(name, trouble)
      if (!trouble.told) troubles.set(name, { ...trouble, told: await tell(name, text) })
      return pause
    },
    over: (name) => void troubles.delete(name),
    mustWait: (name) => (troubles.get(name)?.retryAt ?? -Infinity) > clock.monotonic(),
    of: (name) => troubles.get(name)?.text,
  }
}
