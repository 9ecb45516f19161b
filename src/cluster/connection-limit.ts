import { StorageError } from '../chat/errors.ts'
import type { SharedPresenceParts } from './elsewhere.ts'
import type { PayerStore } from './ports.ts'

/**
 * Whoever is refused because of other servers alone is looked at once more so many milliseconds later: what ended there a moment ago
 * may not be told yet.
 */
const LOOK_AGAIN_MS = 500

/** Somebody who wants one more connection. */
export interface AskedConnection {
  /** All for whom it counts. */
  readonly payers: readonly string[]
  /** Those of them who may have so many through all servers together. */
  readonly bounded: readonly string[]
  readonly limit: number
}

/** Counts connections before they are used, so that no two servers give somebody the last one. */
export interface ConnectionLimit {
  /** Whether they may have one more, which is counted then, on all servers. A no may take half a second. Never rejects. */
  take(asked: AskedConnection): Promise<boolean>
  /** One that was taken is over. */
  giveBack(asked: AskedConnection): void
}

/** When the other servers learn of a change: they have learnt it, in this moment, or with others of the next quarter of a second. */
export type WhenTold = 'already' | 'now' | 'soon'

/** What this server knows and keeps of its payers. */
interface KnownPayers {
  /** How many connections they have through this server, counted here or not. */
  here(payer: string): number
  elsewhere(payer: string): number
  add(payer: string, by: 1 | -1, told: WhenTold): void
}

interface Waiting {
  readonly asked: AskedConnection
  readonly answer: (isGiven: boolean) => void
}

/** Those who come while one transaction is under way share the next one. */
export function createConnectionLimit(
  store: Pick<PayerStore, 'take'>,
  known: KnownPayers,
  serially: (work: () => Promise<void>) => Promise<void>,
  { clock, log, takenForDead }: SharedPresenceParts,
): ConnectionLimit {
  const taken = new Map<string, number>()
  let waiting: Waiting[] = []

  function count({ bounded, payers }: AskedConnection, by: 1 | -1, told: WhenTold): void {
    for (const payer of bounded) taken.set(payer, (taken.get(payer) ?? 0) + by)
    for (const payer of bounded) if (taken.get(payer) === 0) taken.delete(payer)
    for (const payer of payers) known.add(payer, by, told)
  }

  /** Of those who ask, in their order, the ones that may have it. */
  function choose(
    askers: readonly Waiting[],
    elsewhere: (payer: string) => number,
  ): readonly AskedConnection[] {
    const more = new Map<string, number>()
    const given: AskedConnection[] = []
    for (const { asked } of askers) {
      const has = (payer: string): number =>
        (taken.get(payer) ?? 0) + (more.get(payer) ?? 0) + elsewhere(payer)
      if (asked.bounded.some((payer) => has(payer) >= asked.limit)) continue
      for (const payer of asked.payers) more.set(payer, (more.get(payer) ?? 0) + 1)
      given.push(asked)
    }
    return given
  }

  async function serve(): Promise<void> {
    const askers = waiting
    waiting = []
    if (askers.length === 0) return
    const [given, isTold] = await giveTo(askers)
    for (const asked of given) count(asked, 1, isTold ? 'already' : 'soon')
    for (const { asked, answer } of askers) answer(given.includes(asked))
  }

  async function giveTo(askers: readonly Waiting[]): Promise<readonly [readonly AskedConnection[], boolean]> {
    let given: readonly AskedConnection[] = []
    try {
      await store.take(
        askers.flatMap(({ asked }) => asked.bounded),
        (elsewhere) => {
          given = choose(askers, (payer) => elsewhere.get(payer) ?? 0)
          return countsWith(given)
        },
      )
      return [given, true]
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.reason === 'taken-for-dead') takenForDead()
      else
        log.warn(
          { error, reason: error.reason },
          'connections are counted by what was last known of other servers',
        )
      return [choose(askers, known.elsewhere), false]
    }
  }

  function countsWith(given: readonly AskedConnection[]) {
    const payers = given.flatMap((asked) => asked.payers)
    return [...new Set(payers)].map((payer) => ({
      payer,
      connections: known.here(payer) + payers.filter((one) => one === payer).length,
    }))
  }

  const ask = (asked: AskedConnection): Promise<boolean> =>
    new Promise((answer) => {
      waiting.push({ asked, answer })
      void serially(serve)
    })

  const isFullHere = ({ bounded, limit }: AskedConnection): boolean =>
    bounded.some((payer) => (taken.get(payer) ?? 0) >= limit)

  return {
    async take(asked) {
      if (await ask(asked)) return true
      if (isFullHere(asked)) return false
      await new Promise<void>((resolve) => clock.later(LOOK_AGAIN_MS, resolve))
      return await ask(asked)
    },
    giveBack: (asked) => count(asked, -1, 'now'),
  }
}
