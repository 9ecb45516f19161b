import type { Log } from '../base/environment.ts'
import type { Scheduler } from '../base/jobs/scheduler.ts'
import type { ClientHandler } from '../terminal/index.ts'
import type { SshLimits } from './admission.ts'
import type { HostKey } from './keys/host-keys.ts'
import type { SendQueues } from './outbox.ts'
import type { Quotas } from './quotas.ts'
import type { Transport } from './transport.ts'

export interface SshServerOptions {
  /** At least one host key. */
  readonly hostKeys: readonly HostKey[]
  readonly limits: SshLimits
  /** The text on how to join, shown before a login from an unknown network. Called for each connection. */
  readonly banner: () => string
  /** Returns the trusted user CAs as lines of a `.pub` file. Called at each login. */
  readonly cas: () => readonly string[]
  /** Returns the networks of proxies (see proxy-protocol.ts). Called for each connection. */
  readonly proxies: () => readonly string[]
  readonly handler: ClientHandler
  /** Milliseconds since the epoch, for the expiry of certificates. */
  readonly now: () => number
  /** Counts a login, or a refusal by its reason. */
  readonly countLogin: (refused?: LoginRefusal) => void
  readonly log: Log
}

/**
 * The reason of a refused login: `key` (too weak, or a bad certificate), `code` (a missing or wrong invite
 * code), `name`, `denied` (a ban, or a server closed to this person), `limit` (too many connections),
 * `trouble` (the store failed).
 */
export type LoginRefusal = 'key' | 'code' | 'name' | 'denied' | 'limit' | 'trouble'

type ServerParts = 'now' | 'limits' | 'handler' | 'countLogin' | 'log'

/** Shared by all connections of a server. */
export interface ConnectionContext extends Pick<SshServerOptions, ServerParts> {
  readonly transport: Transport
  /** Returns the public keys of the currently trusted user CAs, in wire form. */
  readonly cas: () => readonly Buffer[]
  readonly scheduler: Scheduler
  readonly queues: SendQueues
  readonly quotas: Quotas
  /** Programs that still run, also for clients that have disconnected. */
  readonly jobs: Set<Promise<void>>
}
