import type { Log } from '../../chat/ports.ts'
import type { Scheduler } from '../../lib/jobs/scheduler.ts'
import type { ClientHandler } from '../../session/ports.ts'
import type { SshLimits } from './limits.ts'
import type { SendQueues } from './outbox.ts'
import type { Quota } from '../../lib/quota.ts'
import type { Transport } from './transport.ts'

/** What all connections share. */
export interface ConnectionContext {
  readonly entrance: Entrance
  readonly limits: SshLimits
  readonly handler: ClientHandler
  readonly log: Log
  readonly scheduler: Scheduler
  readonly queues: SendQueues
  readonly quotas: Quotas
  /** What still runs for a client: it may have hung up. */
  readonly jobs: Set<Promise<void>>
}

/** What a connection meets before its login, and at its end. */
export interface Entrance {
  readonly transport: Transport
  /** Public keys of the CAs whose user certificates are trusted now, in wire form. */
  readonly cas: () => readonly Buffer[]
  readonly now: () => number
}

/** How much there is at once. */
export interface Quotas {
  /** By person and by key. */
  readonly connections: Quota
  /** Commands, by person and by key. */
  readonly commands: Quota
  /** Commands, by network. */
  readonly commandsOfNetwork: Quota
}
