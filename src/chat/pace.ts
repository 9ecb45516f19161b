import { Refusal } from './errors.ts'
import type { PersonId } from './person.ts'
import type { Clock } from './ports.ts'

/** Slows a person down who speaks too fast: first by waiting, then with one refusal; never a ban. */
export interface Pace {
  /** Resolves when it is this person's turn; throws `Refusal` where that would be too far off. */
  next(person: PersonId): Promise<void>
}

/** A token bucket a person: `burst` at once, then `perSecond`. `wait` sleeps, in ms. */
export function createPace(options: {
  readonly burst: number
  readonly perSecond: number
  readonly clock: Clock
  readonly wait: (ms: number) => Promise<void>
}): Pace {
  const { burst, perSecond, clock, wait } = options
  const longestWait = 5_000
  const msEach = 1_000 / perSecond
  /** When each person's bucket will be full again: an entry in the past is the same as none. */
  const fullAt = new Map<PersonId, number>()

  return {
    async next(person) {
      const now = clock.now()
      if (fullAt.size > 1_000) for (const [who, at] of fullAt) if (at <= now) fullAt.delete(who)
      const full = Math.max(fullAt.get(person) ?? 0, now) + msEach
      const delay = full - now - burst * msEach
      if (delay > longestWait)
        throw new Refusal('you are going too fast; wait a few seconds and say it again')
      fullAt.set(person, full)
      if (delay > 0) await wait(delay)
    },
  }
}
