// What one person, one key and one network may do in a while: lines at a pace, and bytes in a day. This file must not
// know what a line means, nor where its bytes are kept.

import { DAY_MS, duration } from '../lib/amounts.ts'
import { fullAfter, waitFor, type Rate } from '../lib/token-bucket.ts'
import { Refusal } from './errors.ts'
import type { Person } from './people/person.ts'
import type { MonotonicClock } from './ports.ts'

type Payer = Pick<Person, 'id' | 'login'>
/** On how many servers somebody is (peers.ts): each gives them its share. */
type ServersOf = (quotaKey: string) => number

/** The keys of `[limits]` that pace people. */
export interface RateLimits {
  /** How much somebody may do at once. */
  readonly rate_burst: number
  /** How much in a second after that. */
  readonly rate_per_s: number
}

const MAX_WAIT_MS = 5_000

/** Slows a person down who sends lines too fast: first by waiting, then by refusing a line; never by a ban. */
export type RateLimiter = ReturnType<typeof createRateLimiter>

/** `wait` sleeps, in ms, at most until the signal is aborted; it never rejects. */
export function createRateLimiter(options: {
  readonly limits: RateLimits
  readonly clock: MonotonicClock
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly serversOf?: ServersOf | undefined
}) {
  const { limits, clock, wait, serversOf } = options
  const ledger = createQuotaLedger(clock, serversOf)
  return {
    /**
     * Resolves when this person's next line may run; throws `Refusal` if that would take more than five seconds. All names
     * of a key count together, and so do all people of one network, which may do more. Nobody waits once the signal is aborted.
     */
    async next(person: Payer, signal: AbortSignal): Promise<void> {
      const rate = { burst: limits.rate_burst, everyMs: 1_000 / limits.rate_per_s }
      const delay = ledger.take(person, 1, rate, MAX_WAIT_MS)
      if (delay > MAX_WAIT_MS)
        throw new Refusal('you are going too fast; wait a few seconds and say it again')
      if (delay > 0) await wait(delay, signal)
    },
  }
}

/** Limits how much of the disk somebody can fill: with lines, through pipes, and with what tools give for them. */
export type ByteQuota = ReturnType<typeof createByteQuota>

/**
 * `bytes_per_person_day` can be used at once, and comes back evenly over a day; 0 is no limit. All names of a key count
 * together, and so do all people of one network. Kept in memory: a restart forgets it.
 */
export function createByteQuota(
  limits: { readonly bytes_per_person_day: number },
  clock: MonotonicClock,
  serversOf?: ServersOf,
) {
  const ledger = createQuotaLedger(clock, serversOf)

  /** Gives the milliseconds until so many bytes would be free; counts them if that is at most `mayWait`. */
  function count(person: Payer, bytes: number, mayWait: number): number {
    const { bytes_per_person_day: limit } = limits
    return limit === 0 ? 0 : ledger.take(person, bytes, { burst: limit, everyMs: DAY_MS / limit }, mayWait)
  }

  return {
    /** Counts what a person sends, in UTF-8 bytes. Throws `Refusal`, and counts nothing, if that is too much. */
    take(person: Payer, bytes: number): void {
      const wait = count(person, bytes, 0)
      if (wait > 0) throw new Refusal(usedUp(limits.bytes_per_person_day, wait))
    },
    /** Counts what is stored for a person already. If that is too much, `take` refuses until enough has come back. */
    charge: (person: Payer, bytes: number): void => void count(person, bytes, Infinity),
  }
}

const usedUp = (limit: number, wait: number): string =>
  `what you sent and what tools gave for you is as much as one person may store in a day (bytes_per_person_day, ${limit}); send less, or again in ${duration(wait)}`

/** With more buckets than this, those that are full are removed. */
const MAX_BUCKETS_KEPT = 3_000

/**
 * Token buckets of all quota keys, for one limit. The clock must not go back, as the machine's can: that would keep people
 * from what they may do. On a server of several, everything costs as many times as much as the key is on servers.
 */
export function createQuotaLedger(clock: MonotonicClock, serversOf: ServersOf = () => 1) {
  const fullAt = new Map<string, number>()

  function forgetFull(now: number): void {
    if (fullAt.size > MAX_BUCKETS_KEPT) for (const [name, at] of fullAt) if (at <= now) fullAt.delete(name)
  }

  return {
    /**
     * Takes `amount` tokens from each quota key of the person, and returns after how many milliseconds they will have been
     * there. Takes nothing if that is more than `maxWaitMs`.
     */
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

/** A person, key or network whose limit is used up when somebody does something. */
export interface QuotaKey {
  readonly kind: 'person' | 'key' | 'network'
  /** Unlike all others, also of other kinds. */
  readonly name: string
  /** How many people's limit it has. */
  readonly share: number
}

/** As many people can share an address: a school or a company behind one router. */
const PEOPLE_PER_NETWORK = 64

/** The person, all names of their key together, and all people of their network. */
export function quotaKeysOf({ id, login }: Payer): readonly QuotaKey[] {
  const person = quotaKey('person', id, 1)
  if (!login) return [person]
  return [person, quotaKey('key', login.key, 1), quotaKey('network', login.network, PEOPLE_PER_NETWORK)]
}

/** As in `QuotaKey`. */
export const quotaKeyName = (kind: QuotaKey['kind'], id: string): string => `${kind} ${id}`

const quotaKey = (kind: QuotaKey['kind'], id: string, share: number): QuotaKey => ({
  kind,
  name: quotaKeyName(kind, id),
  share,
})
