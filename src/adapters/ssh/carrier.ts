import type { Socket } from 'node:net'
import type { Account } from '../../lib/jobs/scheduler.ts'

/** How long a client may take to hang up by itself after its channels were closed. */
export const LINGER_MS = 500

/** What a connection is to its channels. */
export interface Carrier {
  readonly socket: Socket
  /** Pays for what it sends, and for all that its channels show. */
  readonly account: Account
  /** Called whenever more may be sent. A function removes itself once it has nothing left to send. */
  readonly waiting: Set<() => void>
  /** The channels on it that are open. */
  readonly channels: Set<OnCarrier>
  /** Calls `listener` once the client has read all that was sent by now; never if it goes away first. */
  whenRead(listener: () => void): void
  /**
   * Closes the connection; `why` is logged, and told to the client where it still reads; later, if it is to
   * hang up by itself.
   */
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
export function retrySending({ waiting }: Carrier): void {
  for (const pump of [...waiting]) pump()
}
