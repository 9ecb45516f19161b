// Limits lines per second and bytes per day for a person, a key and a network.

import { DAY_MS, duration } from '../base/amounts.ts'
import type { MonotonicClock } from '../base/environment.ts'
import { fullAfter, waitFor, type Rate } from '../base/token-bucket.ts'
import { Refusal } from '../words/errors.ts'
import type { Person } from '../words/person.ts'

type Payer = Pick<Person, 'id' | 'login'>
type ServersOf = (quotaKey: string) => number

export interface RateLimits {
  readonly rate_burst: number
  readonly rate_per_s: number
}

const MAX_WAIT_MS = 5_000

export type RateLimiter = ReturnType<typeof createRateLimiter>

/** `wait` sleeps for `ms`, or until the signal is aborted. It never rejects. */
export function createRateLimiter(options: {
  readonly limits: RateLimits
  readonly clock: MonotonicClock
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly serversOf?: ServersOf | undefined
}) {
  const { limits, clock, wait, serversOf } = options
  const ledger = createQuotaLedger(clock, serversOf)
  return {
    /** Resolves when the next line may run or `signal` is aborted. Throws `Refusal` for a wait over 5 s. */
    async next(person: Payer, signal: AbortSignal): Promise<void> {
      const rate = { burst: limits.rate_burst, everyMs: 1_000 / limits.rate_per_s }
      const delay = ledger.take(person, 1, rate, MAX_WAIT_MS)
      if (delay > MAX_WAIT_MS)
        throw new Refusal('you are going too fast; wait a few seconds and say it again')
      if (delay > 0) await wait(delay, signal)
    },
  }
}

export type ByteQuota = ReturnType<typeof createByteQuota>

/** `bytes_per_person_day` refills evenly over a day; 0 means no limit. Usage is kept in memory. */
export function createByteQuota(
  limits: { readonly bytes_per_person_day: number },
  clock: MonotonicClock,
  serversOf?: ServersOf,
) {
  const ledger = createQuotaLedger(clock, serversOf)

  /** Returns the milliseconds until `bytes` are free. Counts the bytes if that is at most `mayWait`. */
  function count(person: Payer, bytes: number, mayWait: number, part = 1): number {
    const { bytes_per_person_day: limit } = limits
    const rate = { burst: limit * part, everyMs: DAY_MS / limit }
    return limit === 0 ? 0 : ledger.take(person, bytes, rate, mayWait)
  }

  return {
    /** Counts UTF-8 bytes. Throws `Refusal`, and counts nothing, if they exceed `part` of the limit. */
    take(person: Payer, bytes: number, part = 1): void {
      const wait = count(person, bytes, 0, part)
      if (wait > 0) throw new Refusal(byteQuotaText(limits.bytes_per_person_day, wait))
    },
    /** Counts stored bytes, even over the limit: `take` then refuses until enough have refilled. */
    charge: (person: Payer, bytes: number): void => void count(person, bytes, Infinity),
  }
}

const byteQuotaText = (limit: number, wait: number): string =>
  `you have stored as much as one person may store in a day, with what models and tools stored for you (bytes_per_person_day, ${limit}); send less, or try again in ${duration(wait)}`

const MAX_BUCKETS_KEPT = 3_000

/** Token buckets of all quota keys. The cost is multiplied by the number of servers that a key uses. */
export function createQuotaLedger(clock: MonotonicClock, serversOf: ServersOf = () => 1) {
  const fullAt = new Map<string, number>()

  function forgetFull(now: number): void {
    if (fullAt.size > MAX_BUCKETS_KEPT) for (const [name, at] of fullAt) if (at <= now) fullAt.delete(name)
  }

  return {
    /** Returns the ms until each quota key has `amount` tokens. Takes them if that is at most `maxWaitMs`. */
    take(person: Payer, amount: number, rate: Rate, maxWaitMs: number): number {
      const now = clock.monotonic()
      forgetFull(now)
      const buckets = quotaKeysOf(person).map(({ name, share }) => ({
        name,
        full: fullAfter(fullAt.get(name) ?? 0, now, (amount * rate.everyMs * serversOf(name)) / share),
      }))
      const wait = Math.max(0, ...buckets.map(({ full }) => waitFor(full, now, rate)))
      if (wait <= maxWaitMs) for (const { name, full } of buckets) fullAt.set(name, full)
      return wait
    },
  }
}

export interface QuotaKey {
  readonly kind: 'person' | 'key' | 'network'
  readonly name: string
  readonly share: number
}

/** A network's limits are those of this many people, since a school or company may share an address. */
const PEOPLE_PER_NETWORK = 64

export function quotaKeysOf({ id, login }: Payer): readonly QuotaKey[] {
  const person = quotaKey('person', id, 1)
  if (!login) return [person]
  return [person, quotaKey('key', login.key, 1), quotaKey('network', login.network, PEOPLE_PER_NETWORK)]
}

export const quotaKeyName = (kind: QuotaKey['kind'], id: string): string => `${kind} ${id}`

const quotaKey = (kind: QuotaKey['kind'], id: string, share: number): QuotaKey => ({
  kind,
  name: quotaKeyName(kind, id),
  share,
})
