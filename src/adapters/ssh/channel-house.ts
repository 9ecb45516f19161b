import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Door } from '../../session/ports.ts'
import { createOutbox } from './outbox.ts'
import type { Outbox, OutboxOptions } from './outbox.ts'
import type { Release } from './quota.ts'
import type { SessionRequest } from './session-request.ts'

/** What a session channel may use of the connection that carries it. */
export interface ChannelHouse {
  readonly person: Person
  readonly door: Door
  readonly log: Log
  readonly socket: Socket
  readonly queueBytes: number
  readonly stallMs: number
  /** Aborted when the connection is closed. */
  readonly gone: AbortSignal
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  /** Why this connection may do nothing, in words for the person; undefined if it may. */
  readonly refusal?: string
  /** Takes one of the person's slots for commands. */
  takeExec(): Release | undefined
  /** Closes the connection. */
  drop(why: string): void
  /** Remembers what must end before the connection is closed in peace. */
  track(job: Promise<void>): void
}

/** One started channel. */
export interface OpenChannel {
  readonly channel: ServerChannel
  readonly request: SessionRequest
  /** Aborted when the channel or its connection is closed. */
  readonly gone: AbortSignal
  readonly house: ChannelHouse
}

/** What the person reads when something failed that is not theirs to know. */
export const apology = 'Something went wrong here; the operator finds the details in the log.'

/** The way out of a channel. */
export function openOutbox(
  { channel, gone, house }: OpenChannel,
  options: Pick<OutboxOptions, 'stall' | 'onEmpty'> = {},
): Outbox {
  channel.on('error', () => house.drop('channel error'))
  channel.stderr.on('error', () => house.drop('channel error'))
  return createOutbox({ channel, socket: house.socket, gone, ...options })
}
