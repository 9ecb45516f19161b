import type { Alarm, Clock, Log, MonotonicClock } from '../chat/ports.ts'
import type { CommonStore } from './ports.ts'

/** The clock that all servers of a database go by: the database's. What has an end, such as a ban, ends at one moment for all of them. */
export interface CommonClock extends Clock, MonotonicClock, Alarm {
  /**
   * Asks the database again: its clock may have been set, and a machine may have slept. Resolves to whether `aheadMs` is another one
   * now. Rejects with `StorageError`.
   */
  follow(): Promise<boolean>
  /** By how much this machine's own clock is ahead of the database's, in whole seconds as milliseconds; 0 where that is as good as nothing. */
  aheadMs(): number
}

/** What is less than that may be the network, in milliseconds; times do not jump for it. */
const STEP_MS = 250

/** A machine whose clock is wrong by more is worth a word, in milliseconds. */
const WRONG_MS = 5_000

/** One look at the database's clock, in milliseconds. */
interface Measured {
  /** What is to be added to the monotonic clock for the database's time. */
  readonly offset: number
  /** By how much the machine's clock is ahead of it. */
  readonly ahead: number
  /** By how much either may be wrong: nobody knows when within the round trip the database looked. */
  readonly doubt: number
}

/** Asks the database once. Rejects with `StorageError`. */
export async function openCommonClock(
  machine: Clock & MonotonicClock & Alarm,
  common: Pick<CommonStore, 'now'>,
  log: Log,
): Promise<CommonClock> {
  let { offset, ...first } = await measured(machine, common)
  let aheadMs = 0
  judge(first)

  /** Notes how wrong the machine's clock is. False where that is known. */
  function judge({ ahead, doubt }: Pick<Measured, 'ahead' | 'doubt'>): boolean {
    if (Math.abs(ahead) + doubt < WRONG_MS) return note(0)
    return Math.abs(ahead - aheadMs) - doubt > WRONG_MS && note(Math.round(ahead / 1_000) * 1_000)
  }

  function note(ms: number): boolean {
    if (ms === aheadMs) return false
    aheadMs = ms
    if (ms === 0) log.info({}, 'the clock of this machine is right again')
    else log.warn({ seconds: ms / 1_000 }, "the clock of this machine is wrong; the database's is used")
    return true
  }

  return {
    now: () => Math.floor(machine.monotonic() + offset),
    monotonic: () => machine.monotonic(),
    later: (ms, run) => machine.later(ms, run),
    aheadMs: () => aheadMs,
    async follow() {
      const found = await measured(machine, common)
      if (Math.abs(found.offset - offset) - found.doubt > STEP_MS) offset = found.offset
      return judge(found)
    },
  }
}

async function measured(
  machine: Clock & MonotonicClock,
  common: Pick<CommonStore, 'now'>,
): Promise<Measured> {
  const asked = machine.monotonic()
  const now = await common.now()
  const doubt = (machine.monotonic() - asked) / 2
  return { offset: now - (asked + doubt), ahead: machine.now() - doubt - now, doubt }
}
