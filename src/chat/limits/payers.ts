/**
 * What one person, one key and one network may do in a while: lines at a pace, and bytes in a day. This folder must not
 * know what a line means, nor where its bytes are kept.
 */
import { fullAfter, waitFor, type Rate } from '../../lib/token-bucket.ts'
import type { Person } from '../people/person.ts'
import type { MonotonicClock } from '../ports.ts'

/** Token buckets of all who pay, for one limit. */
export interface PayerLedger {
  /**
   * Takes `amount` tokens from each who pays for the person, and returns after how many milliseconds they will have been
   * there. Takes nothing if that is more than `maxWaitMs`.
   */
  take(person: Pick<Person, 'id' | 'login'>, amount: number, rate: Rate, maxWaitMs: number): number
}

/** With more buckets than this, those that are full are removed. */
const MAX_BUCKETS_KEPT = 3_000

/**
 * A `clock` that goes back, as the machine's can, would keep people from what they may do. `servers` says on how many servers a payer
 * is: on each of them, everything costs so many times as much.
 */
export function createLedger(
  clock: MonotonicClock,
  servers: (payer: string) => number = () => 1,
): PayerLedger {
  const fullAt = new Map<string, number>()

  function forgetFull(now: number): void {
    if (fullAt.size > MAX_BUCKETS_KEPT) for (const [name, at] of fullAt) if (at <= now) fullAt.delete(name)
  }

  return {
    take(person, amount, rate, maxWaitMs) {
      const now = clock.monotonic()
      forgetFull(now)
      const taken = payersOf(person).map(({ name, share }) => ({
        name,
        full: fullAfter(fullAt.get(name) ?? 0, now, (amount * rate.everyMs * servers(name)) / share),
      }))
      const wait = Math.max(0, ...taken.map(({ full }) => waitFor(full, now, rate)))
      if (wait <= maxWaitMs) for (const { name, full } of taken) fullAt.set(name, full)
      return wait
    },
  }
}

/** Somebody or something whose limit is used up when a person does something. */
export interface Payer {
  readonly kind: 'person' | 'key' | 'network'
  /** Unlike all others, also of other kinds. */
  readonly name: string
  /** How many people's limit it has. */
  readonly share: number
}

/** As many people can share an address: a school or a company behind one router. */
const PEOPLE_PER_NETWORK = 64

/** The person, all names of their key together, and all who come from their network. */
export function payersOf({ id, login }: Pick<Person, 'id' | 'login'>): readonly Payer[] {
  const person = payer('person', id, 1)
  if (!login) return [person]
  return [person, payer('key', login.key, 1), payer('network', login.network, PEOPLE_PER_NETWORK)]
}

/** As in `Payer`. */
export const payerName = (kind: Payer['kind'], id: string): string => `${kind} ${id}`

const payer = (kind: Payer['kind'], id: string, share: number): Payer => ({
  kind,
  name: payerName(kind, id),
  share,
})
