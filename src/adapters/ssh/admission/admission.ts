/**
 * admission/ decides which connections are served, and when: how many at once, from where, and how often. It must not
 * know SSH, people or keys: it knows addresses and what became of the connections from them.
 */
import type { SshLimits } from '../limits.ts'
import { networkOf } from './networks.ts'
import { createQuota, takeAll } from '../quota.ts'
import { createStrangers, type Stranger } from './strangers.ts'
import { createVisits } from './visits.ts'

/** Counts one more connection from an address; undefined, and nothing counted, when it would be one too many. */
export type Admit = (address: string) => Admitted | undefined

/** A connection that was accepted. */
export interface Admitted {
  /** How long it has to wait before it enters: its network connects too often. */
  readonly delayMs: number
  /**
   * Whether the last connection from the same network was let in. Then its client needs no banner: it would print the
   * banner each time, and a script's standard error is for its own trouble. A network becomes known whatever name was
   * asked for.
   */
  readonly isKnown: boolean
  /** To be called once it has waited. From then on it counts as waiting for the login. */
  enter(stranger: Stranger): void
  /** To be called when its client is let in: from now on it does not count as waiting for the login. */
  loggedIn(): void
  /** To be called when it brought a wrong invite code. How long it has to wait for the answer, in ms. */
  wrongCode(): number
  /** To be called once, when its client opens its first channel. */
  used(): void
  /** To be called when it is closed. */
  closed(): void
}

/** Limits how many connections there are at once, in all and from each network, how many before their login, and how often. */
export function createAdmission(limits: SshLimits): Admit {
  const total = createQuota(() => limits.connections)
  const perNetwork = createQuota(() => limits.connections_per_address)
  const strangers = createStrangers(limits)
  const visits = createVisits(limits)
  return (address) => {
    const network = networkOf(address)
    const connection = takeAll([total, ''], [perNetwork, network])
    if (!connection) return undefined
    let leave = (): void => undefined
    let isLoggedIn = false
    return {
      ...visits.begin(network),
      enter(stranger) {
        leave = strangers.enter(address, stranger)
      },
      loggedIn() {
        isLoggedIn = true
        visits.letIn(network)
        leave()
      },
      wrongCode: () => visits.wrongCode(network),
      used() {
        visits.used(network)
      },
      closed() {
        if (!isLoggedIn) visits.failed(network)
        leave()
        connection()
      },
    }
  }
}
