/**
 * admission/ decides which connections are served, and when: how many at once, from where, and how often. It must not
 * know SSH, people or keys: it knows addresses and what became of the connections from them.
 */
import type { SshLimits } from '../limits.ts'
import { COSTS, NetworkPace, networkOf } from '../../../lib/network-pace.ts'
import { Quota } from '../../../lib/quota.ts'
import { createHeld } from './held.ts'
import { createStrangers, type Stranger } from './strangers.ts'

/**
 * Counts one more connection from an address. `giveWay` is called where it has to be closed, before its login, to let others in. Nothing
 * is counted where it would be one too many.
 */
export type Admit = (address: string, giveWay: () => void) => Admitted | TurnedAway

/** A connection that is one too many. */
export interface TurnedAway {
  /** Of what, for the log. */
  readonly why: string
  /** The same in words for whoever connects, with what to do. */
  readonly words: string
}

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
  /** To be called once it has waited. From then on it waits for its turn to log in, which comes with `serve`. */
  enter(serve: Stranger['serve']): void
  /** To be called when it has exchanged keys. */
  keysExchanged(): void
  /**
   * To be called when its client is let in: from now on it does not count as waiting for the login. False where its network has as many
   * connections as it may have: then it is `refused`.
   */
  loggedIn(): boolean
  /**
   * To be called when its client is let in only to be told why it may do nothing, which takes as long as it stays: it gives way to
   * others as one before its login does, and costs as one whose login failed.
   */
  refused(): void
  /** To be called when it brought a wrong invite code. How long it has to wait for the answer, in ms. */
  wrongCode(): number
  /** To be called once, when its client opens its first channel. */
  used(): void
  /** To be called when it is closed. */
  closed(): void
}

/** Those who have not logged in cost little: a network may have more of them than others, and who comes after them has to come in. */
const STRANGERS_PER_CONNECTION = 8

/**
 * Limits how many connections there are at once, in all and from each network, how many before their login, and how often. Those
 * before their login, and those that are refused after it, take the room of nobody else: the oldest gives way.
 */
export function createAdmission(limits: SshLimits): Admit {
  const total = new Quota(() => limits.connections)
  const loggedIn = new Quota(() => limits.connections_per_address)
  const held = createHeld(() => limits.connections_per_address * STRANGERS_PER_CONNECTION)
  const strangers = createStrangers(limits)
  const pace = new NetworkPace(limits)
  return (address, giveWay) => {
    const network = networkOf(address)
    if (loggedIn.isFull(network))
      return {
        why: 'its address has connections_per_address',
        words: `Too many connections come from your address: ${limits.connections_per_address} are logged in. Close one, or try again in a while.`,
      }
    const connection = total.take('') ?? (held.relieve() ? total.take('') : undefined)
    if (!connection)
      return {
        why: 'the server has all its connections',
        words:
          'Too many connections: the server is full. Try again in a few minutes; if it stays so, tell its operator.',
      }
    let turn: ReturnType<typeof strangers.enter> | undefined
    let leaveLoggedIn: (() => void) | undefined
    let isRefused = false
    let isOver = false
    const closed = (): void => {
      if (isOver) return
      isOver = true
      if (!leaveLoggedIn && !isRefused) {
        pace.setKnown(network, false)
        pace.charge(network, COSTS.failure)
      }
      leaveHeld()
      turn?.leave()
      leaveLoggedIn?.()
      connection()
    }
    const sendAway = (): void => {
      closed()
      giveWay()
    }
    const refused = (): void => {
      isRefused = true
      pace.setKnown(network, true)
      pace.charge(network, COSTS.failure)
      turn?.leave()
    }
    const isKnown = pace.isKnown(network)
    const delayMs = pace.charge(network, COSTS.connection)
    const leaveHeld = held.add(network, sendAway)
    return {
      delayMs,
      isKnown,
      enter(serve) {
        if (!isOver) turn = strangers.enter(address, { serve, giveWay: sendAway })
      },
      keysExchanged: () => turn?.keysExchanged(),
      loggedIn() {
        leaveLoggedIn = loggedIn.take(network)
        if (!leaveLoggedIn) return (refused(), false)
        pace.setKnown(network, true)
        leaveHeld()
        turn?.leave()
        return true
      },
      refused,
      wrongCode: () => pace.charge(network, COSTS.wrongCode),
      used() {
        pace.charge(network, COSTS.use)
      },
      closed,
    }
  }
}
