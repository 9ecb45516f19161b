import { mayManage, type Room } from '../../chat/index.ts'
import type { RoomName } from '../../words/entry.ts'
import { Refusal, StorageError } from '../../words/errors.ts'
import { SYSTEM } from '../../words/names.ts'
import { duration } from '../../base/amounts.ts'
import type { Alarm, Log, MonotonicClock } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { aborted } from '../../base/jobs/waiting.ts'
import { headOf } from '../../base/text/characters.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { fullAfter, waitFor, type Rate } from '../../base/token-bucket.ts'
import { WrapError } from '../../wrap/index.ts'
import { ModelError } from '../../wrap/loop/index.ts'
import { TurnStopped } from '../turn-end.ts'

interface SummaryFailure {
  readonly text: string
  readonly failures: number
  /** In ms of the monotonic clock. */
  readonly retryAt: number
  readonly isReported: boolean
}

/** Pauses in ms after the first failure, the second, and so on; the last one repeats. */
const PAUSES_MS: readonly number[] = [60_000, 300_000, 900_000, 3_600_000]

/** Characters of a reason that people are shown. */
const MAX_REASON_CHARACTERS = 300

/** Rooms whose summary failed, and when each is retried. In memory only: a restart retries immediately. */
export class SummaryFailures {
  readonly #rooms = new Map<RoomName, SummaryFailure>()
  readonly #anyRoom: (name: RoomName) => Promise<Room | undefined>
  readonly #clock: MonotonicClock
  readonly #log: Log

  constructor(anyRoom: (name: RoomName) => Promise<Room | undefined>, clock: MonotonicClock, log: Log) {
    this.#anyRoom = anyRoom
    this.#clock = clock
    this.#log = log
  }

  /** Tells the room's managers about the failure, once until `clear`. Resolves to the pause in ms. */
  async addFailure(name: RoomName, error: unknown): Promise<number> {
    const { failures: before, isReported } = this.#rooms.get(name) ?? { failures: 0, isReported: false }
    const failures = before + 1
    const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0
    const reason = headOf(cleanLine(reasonOf(error)), MAX_REASON_CHARACTERS)
    const text = `the summary of ${name} could not be made: ${reason}; it is tried again in ${duration(pause)}`
    this.#log.warn({ room: name, failures, error }, 'a summary could not be made')
    const failure = { text, failures, retryAt: this.#clock.monotonic() + pause }
    this.#rooms.set(name, { ...failure, isReported })
    if (!isReported) this.#rooms.set(name, { ...failure, isReported: await this.#tell(name, text) })
    return pause
  }

  /** Called when a summary succeeded or is not needed. */
  clear(room: RoomName): void {
    this.#rooms.delete(room)
  }

  mustWait(room: RoomName): boolean {
    return (this.#rooms.get(room)?.retryAt ?? -Infinity) > this.#clock.monotonic()
  }

  textFor(room: RoomName): string | undefined {
    return this.#rooms.get(room)?.text
  }

  async #tell(name: RoomName, text: string): Promise<boolean> {
    try {
      const room = await this.#anyRoom(name)
      const present = room?.present() ?? []
      const manages = await Promise.all(present.map(async (one) => room && mayManage(await room.roleOf(one))))
      const managers = present.filter((_, index) => manages[index])
      room?.whisper(managers, { kind: 'notice', level: 'error', author: SYSTEM, text })
      return managers.length > 0
    } catch (error) {
      this.#log.warn({ room: name, error }, 'could not report a failed summary')
      return false
    }
  }
}

const KNOWN = [Refusal, StorageError, WrapError, ModelError, TurnStopped] as const

/** Unexpected errors are only in the log. */
const reasonOf = (error: unknown): string =>
  KNOWN.some((kind) => error instanceof kind)
    ? errorMessage(error)
    : 'it failed inside the server, and the log says why'

/** Requests for summaries of one room: 60 without a pause, then one every two seconds. */
const PIECES: Rate = { burst: 60, everyMs: 2_000 }

/** Waits before a room's next request. Rejects with the signal's reason. */
export function createPiecePace(clock: Alarm & MonotonicClock) {
  const fullAt = new Map<RoomName, number>()
  return async (room: RoomName, signal: AbortSignal): Promise<void> => {
    const now = clock.monotonic()
    const full = fullAfter(fullAt.get(room) ?? 0, now, PIECES.everyMs)
    fullAt.set(room, full)
    const ms = waitFor(full, now, PIECES)
    if (ms <= 0) return
    await Promise.race([new Promise<void>((resolve) => clock.later(ms, resolve)), aborted(signal)])
    signal.throwIfAborted()
  }
}
