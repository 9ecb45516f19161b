import type { Log } from '../../chat/ports.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import type { GateSettings } from './gate.ts'
import type { HttpHandler, Visitors } from './handler.ts'

/** The keys of `[limits]` that concern HTTP; what they mean is in docs/security.md. Sizes in bytes, times in seconds. */
export interface HttpLimits {
  readonly connections: number
  readonly connections_per_address: number
  readonly http_body_bytes: number
  readonly http_request_s: number
  readonly http_idle_s: number
  readonly queue_bytes: number
  readonly stall_s: number
}

export interface HttpServerOptions {
  readonly limits: HttpLimits
  /** Those of now; asked at each request. */
  readonly settings: () => GateSettings
  readonly visitors: Visitors
  readonly handler: HttpHandler
  /** The share of the thread of a network or a person; the same key has the same one. */
  readonly accountOf: (key: string) => Account
  readonly log: Log
}
