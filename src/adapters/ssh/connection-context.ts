import type { Log } from '../../chat/ports.ts'
import type { Scheduler } from '../../lib/jobs/scheduler.ts'
import type { ClientHandler } from '../../session/ports.ts'
import type { SshLimits } from './limits.ts'
import type { Queues } from './queues.ts'
import type { Quota } from './quota.ts'
import type { Greet } from './transport.ts'

/** What all connections share. */
export interface ConnectionContext {
  readonly entrance: Entrance
  readonly limits: SshLimits
  readonly handler: ClientHandler
  readonly log: Log
  readonly scheduler: Scheduler
  readonly queues: Queues
  /** Connections at once, by person and by key. */
  readonly connectionsOf: Quota
  readonly execsOf: ExecQuotas
  /** What still runs for a client: it may have hung up. */
  readonly jobs: Set<Promise<void>>
}

/** What a connection meets before its login. */
export interface Entrance {
  readonly greet: Greet
  /** Public keys of the CAs whose user certificates are trusted now, in wire form. */
  readonly cas: () => readonly Buffer[]
}

/** Commands at once. */
export interface ExecQuotas {
  /** By person and by key. */
  readonly person: Quota
  /** By network. */
  readonly network: Quota
}
