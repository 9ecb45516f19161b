import type { Account } from '../../lib/jobs/scheduler.ts'
import type { Carrier as SendingCarrier } from './outbox.ts'

/** How long a client may take to hang up by itself after its channels were closed. */
export const LINGER_MS = 500

/** What a connection is to its channels. */
export interface Carrier extends SendingCarrier {
  /** Pays for what it sends, and for all that its channels show. */
  readonly account: Account
  /** The channels on it that are open. */
  readonly channels: Set<OnCarrier>
  drop(why: string, lingerMs?: number): void
}

/** A channel, to its connection. */
export interface OnCarrier {
  /** The connection, or this channel, is closed. */
  close(): void
  /** The server is going to stop: a shell is to end soon, and a command may go on until `stop`. */
  drain(): void
  /** The server stops: the channel is to end soon. */
  stop(): void
  /**
   * Nothing can be started on it any more: tells why on its standard error, and ends it. False where
   * something was started.
   */
  refuse(why: string): boolean
}

/** More may be sent now: all that wait try again. */
export function resumeSending({ waiting }: Carrier): void {
  for (const pump of [...waiting]) pump()
}
