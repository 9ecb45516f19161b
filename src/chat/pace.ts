import { Refusal } from './errors.ts'
import type { PersonId } from './person.ts'
import type { Clock } from './ports.ts'

/** Slows a person down who sends lines too fast: first by waiting, then by refusing a line; never by a ban. */
export interface Pace {
  /** Resolves when this person's next line may run; throws `Refusal` if that would take more than five seconds. */
  next(person: PersonId): Promise<void>
}

const MAX_WAIT_MS = 5_000

/** With more people than this in the table, those whose bucket is full are removed from it. */
const MAX_PEOPLE_KEPT = 1_000

/** The keys of `[limits]` that pace people. */
export interface PaceLimits {
  /** How much somebody may do at once. */
  readonly rate_burst: number
  /** How much in a second after that. */
  readonly rate_per_s: number
}

/** A token bucket a person. `wait` sleeps, in ms. */
export function createPace(options: {
  readonly limits: PaceLimits
  readonly clock: Clock
  readonly wait: (ms: number) => Promise<void>
}): Pace {
  const { limits, clock, wait } = options
  /** When each person's bucket will be full again. A time in the past means the same as no entry. */
  const fullAt = new Map<PersonId, number>()

  return {
    async next(person) {
      const now = clock.now()
      const msEach = 1_000 / limits.rate_per_s
      if (fullAt.size > MAX_PEOPLE_KEPT) for (const [who, at] of fullAt) if (at <= now) fullAt.delete(who)
      const full = Math.max(fullAt.get(person) ?? 0, now) + msEach
      const delay = full - now - limits.rate_burst * msEach
      if (delay > MAX_WAIT_MS)
        throw new Refusal('you are going too fast; wait a few seconds and say it again')
      fullAt.set(person, full)
      if (delay > 0) await wait(delay)
    },
  }
}
