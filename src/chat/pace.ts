import { Refusal } from './errors.ts'
import { payersOf } from './payers.ts'
import type { Person } from './person.ts'
import type { MonotonicClock } from './ports.ts'

/** Slows a person down who sends lines too fast: first by waiting, then by refusing a line; never by a ban. */
export interface Pace {
  /**
   * Resolves when this person's next line may run; throws `Refusal` if that would take more than five seconds. All names
   * of a key count together, and so do all who come from one network, who may do more.
   */
  next(person: Pick<Person, 'id' | 'login'>): Promise<void>
}

const MAX_WAIT_MS = 5_000

/** With more than this in the table, those whose bucket is full are removed from it. */
const MAX_BUCKETS_KEPT = 3_000

/** The keys of `[limits]` that pace people. */
export interface PaceLimits {
  /** How much somebody may do at once. */
  readonly rate_burst: number
  /** How much in a second after that. */
  readonly rate_per_s: number
}

/** Token buckets. `wait` sleeps, in ms; a `clock` that goes back, as the machine's can, would mute people. */
export function createPace(options: {
  readonly limits: PaceLimits
  readonly clock: MonotonicClock
  readonly wait: (ms: number) => Promise<void>
}): Pace {
  const { limits, clock, wait } = options
  /** When each bucket will be full again. A time in the past means the same as no entry. */
  const fullAt = new Map<string, number>()

  function forgetFull(time: number): void {
    if (fullAt.size > MAX_BUCKETS_KEPT) for (const [who, at] of fullAt) if (at <= time) fullAt.delete(who)
  }

  return {
    async next(person) {
      const time = clock.monotonic()
      const msEach = 1_000 / limits.rate_per_s
      forgetFull(time)
      const taken = payersOf(person).map(({ name, share }) => ({
        name,
        full: Math.max(fullAt.get(name) ?? 0, time) + msEach / share,
      }))
      const delay = Math.max(...taken.map(({ full }) => full - time - limits.rate_burst * msEach))
      if (delay > MAX_WAIT_MS)
        throw new Refusal('you are going too fast; wait a few seconds and say it again')
      for (const { name, full } of taken) fullAt.set(name, full)
      if (delay > 0) await wait(delay)
    },
  }
}
