import { DAY_MS, duration } from '../../lib/duration.ts'
import { Refusal } from '../errors.ts'
import { createLedger } from './payers.ts'
import type { Person } from '../people/person.ts'
import type { MonotonicClock } from '../ports.ts'

/** Limits how much of the disk somebody can fill: with lines, through pipes, and with what tools give for them. */
export interface ByteQuota {
  /** Counts what a person sends, in UTF-8 bytes. Throws `Refusal`, and counts nothing, where that is too much. */
  take(person: Payable, bytes: number): void
  /** Counts what is stored for a person already. Where that is too much, `take` refuses until enough has come back. */
  charge(person: Payable, bytes: number): void
}

type Payable = Pick<Person, 'id' | 'login'>

/**
 * `bytes_per_person_day` can be used at once, and comes back evenly over a day; 0 is no limit. All names of a key count
 * together, and all who come from one network. Kept in memory: a restart forgets it. If somebody is on several servers
 * (`serversOf`), each gives them its share.
 */
export function createByteQuota(
  limits: { readonly bytes_per_person_day: number },
  clock: MonotonicClock,
  serversOf?: (quotaKey: string) => number,
): ByteQuota {
  const ledger = createLedger(clock, serversOf)

  /** Gives the milliseconds until so many bytes would be free; counts them where that is at most `mayWait`. */
  function count(person: Payable, bytes: number, mayWait: number): number {
    const { bytes_per_person_day: limit } = limits
    return limit === 0 ? 0 : ledger.take(person, bytes, { burst: limit, everyMs: DAY_MS / limit }, mayWait)
  }

  return {
    take(person, bytes) {
      const wait = count(person, bytes, 0)
      if (wait > 0) throw new Refusal(usedUp(limits.bytes_per_person_day, wait))
    },
    charge: (person, bytes) => void count(person, bytes, Infinity),
  }
}

const usedUp = (limit: number, wait: number): string =>
  `what you sent and what tools gave for you is as much as one person may store in a day (bytes_per_person_day, ${limit}); send less, or again in ${duration(wait)}`
