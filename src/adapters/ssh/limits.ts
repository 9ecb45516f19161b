/**
 * The keys of `[limits]` that concern connections; what they mean is in docs/security.md. Sizes in bytes,
 * times in seconds.
 */
export interface SshLimits {
  readonly login_timeout_s: number
  readonly code_timeout_s: number
  readonly keys_offered: number
  readonly unauthenticated_per_address: number
  readonly unauthenticated: number
  readonly address_burst: number
  readonly address_per_s: number
  readonly connections_per_address: number
  readonly connections_per_person: number
  readonly connections: number
  readonly idle_connection_s: number
  readonly channels_per_connection: number
  readonly exec_per_person: number
  readonly exec_per_address: number
  readonly rate_burst: number
  readonly rate_per_s: number
  readonly queue_bytes: number
  readonly queues_mb: number
  readonly stall_s: number
}
