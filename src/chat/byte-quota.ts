import { DAY_MS, duration } from '../lib/duration.ts'
import { Refusal } from './errors.ts'
import { createLedger } from './payers.ts'
import type { Person } from './person.ts'
import type { MonotonicClock } from './ports.ts'

/** Limits how much of the disk somebody can fill: all that is stored for people came as a line or through a pipe. */
export interface ByteQuota {
  /** Counts what a person sends, in UTF-8 bytes. Throws `Refusal`, and counts nothing, where that is too much. */
  take(person: Pick<Person, 'id' | 'login'>, bytes: number): void
}

/**
 * `bytes_per_person_day` can be used at once, and comes back evenly over a day; 0 is no limit. All names of a key count
 * together, and all who come from one network. Kept in memory: a restart forgets it.
 */
export function createByteQuota(
  limits: { readonly bytes_per_person_day: number },
  clock: MonotonicClock,
): ByteQuota {
  const ledger = createLedger(clock)
  return {
    take(person, bytes) {
      const { bytes_per_person_day: limit } = limits
      if (limit === 0) return
      const wait = ledger.take(person, bytes, { burst: limit, everyMs: DAY_MS / limit }, 0)
      if (wait > 0) throw new Refusal(usedUp(limit, wait))
    },
  }
}

const usedUp = (limit: number, wait: number): string =>
  `you have sent as much as one person may in a day (bytes_per_person_day, ${limit}); send less, or again in ${duration(wait)}`
