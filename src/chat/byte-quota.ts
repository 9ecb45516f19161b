import { DAY_MS, duration } from '../lib/duration.ts'
import { Refusal } from './errors.ts'
import { payersOf } from './payers.ts'
import type { Person } from './person.ts'
import type { MonotonicClock } from './ports.ts'

/** Limits how much of the disk somebody can fill: with lines, through pipes, and with what tools give for them. */
export interface ByteQuota {
  /** Counts what a person sends, in UTF-8 bytes. Throws `Refusal`, and counts nothing, where that is too much. */
  take(person: Payable, bytes: number): void
  /** Counts what is stored for a person already. Where that is too much, `take` refuses until enough has come back. */
  charge(person: Payable, bytes: number): void
}

type Payable = Pick<Person, 'id' | 'login'>

/** With more than this in the table, those who have all of their quota are removed from it. */
const MAX_PAYERS_KEPT = 3_000

/**
 * `bytes_per_person_day` can be used at once, and comes back evenly over a day; 0 is no limit. All names of a key count
 * together, and all who come from one network. Kept in memory: a restart forgets it.
 */
export function createByteQuota(
  limits: { readonly bytes_per_person_day: number },
  clock: MonotonicClock,
): ByteQuota {
  /** When each payer will have all of the quota again. */
  const freeAt = new Map<string, number>()

  function forgetFree(now: number): void {
    if (freeAt.size > MAX_PAYERS_KEPT) for (const [who, at] of freeAt) if (at <= now) freeAt.delete(who)
  }

  /** When each of a person's payers would have all again after so many bytes. */
  function after(person: Payable, bytes: number, limit: number, now: number) {
    const msEach = DAY_MS / limit
    return payersOf(person).map(({ name, share }) => ({
      name,
      free: Math.max(freeAt.get(name) ?? 0, now) + (bytes * msEach) / share,
    }))
  }

  function count(person: Payable, bytes: number, mayRefuse: boolean): void {
    const { bytes_per_person_day: limit } = limits
    if (limit === 0) return
    const now = clock.monotonic()
    forgetFree(now)
    const taken = after(person, bytes, limit, now)
    const wait = Math.max(...taken.map(({ free }) => free - now - DAY_MS))
    if (mayRefuse && wait > 0) throw new Refusal(usedUp(limit, wait))
    for (const { name, free } of taken) freeAt.set(name, free)
  }

  return {
    take: (person, bytes) => count(person, bytes, true),
    charge: (person, bytes) => count(person, bytes, false),
  }
}

const usedUp = (limit: number, wait: number): string =>
  `what you sent and what tools gave for you is as much as one person may store in a day (bytes_per_person_day, ${limit}); send less, or again in ${duration(wait)}`
