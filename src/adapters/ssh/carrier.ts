import type { Socket } from 'node:net'
import type { Account } from '../../lib/scheduler.ts'

/** What a connection is to its channels. */
export interface Carrier {
  readonly socket: Socket
  /** Pays for what it sends, and for all that its channels show. */
  readonly account: Account
  /** Called whenever more may be sent. A function removes itself once it has nothing left to send. */
  readonly waiting: Set<() => void>
  /** The channels on it that are open. */
  readonly channels: Set<OnCarrier>
  /** Closes the connection; `why` is logged. */
  drop(why: string): void
}

/** A channel, to its connection. */
export interface OnCarrier {
  /** The connection, or this channel, is closed. */
  close(): void
  /** The server stops: the channel is to end soon. */
  stop(): void
}

/** More may be sent now: all that wait try again. */
export function retrySending({ waiting }: Carrier): void {
  for (const pump of [...waiting]) pump()
}
