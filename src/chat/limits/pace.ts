import { Refusal } from '../errors.ts'
import { createLedger } from './payers.ts'
import type { Person } from '../people/person.ts'
import type { MonotonicClock } from '../ports.ts'

/** Slows a person down who sends lines too fast: first by waiting, then by refusing a line; never by a ban. */
export interface Pace {
  /**
   * Resolves when this person's next line may run; throws `Refusal` if that would take more than five seconds. All names
   * of a key count together, and so do all who come from one network, who may do more. Nobody waits once the signal is aborted.
   */
  next(person: Pick<Person, 'id' | 'login'>, signal: AbortSignal): Promise<void>
}

const MAX_WAIT_MS = 5_000

/** The keys of `[limits]` that pace people. */
export interface PaceLimits {
  /** How much somebody may do at once. */
  readonly rate_burst: number
  /** How much in a second after that. */
  readonly rate_per_s: number
}

/** `wait` sleeps, in ms, at most until the signal is aborted; it never rejects. */
export function createPace(options: {
  readonly limits: PaceLimits
  readonly clock: MonotonicClock
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** On how many servers somebody is (peers.ts): each gives them its share. */
  readonly serversOf?: ((quotaKey: string) => number) | undefined
}): Pace {
  const { limits, clock, wait, serversOf } = options
  const ledger = createLedger(clock, serversOf)
  return {
    async next(person, signal) {
      const rate = { burst: limits.rate_burst, everyMs: 1_000 / limits.rate_per_s }
      const delay = ledger.take(person, 1, rate, MAX_WAIT_MS)
      if (delay > MAX_WAIT_MS)
        throw new Refusal('you are going too fast; wait a few seconds and say it again')
      if (delay > 0) await wait(delay, signal)
    },
  }
}
