import type { SearchConfig } from './search-providers.ts'

/** The web as it is configured. */
export interface WebConfig {
  /** Whether pages may be read. */
  readonly fetch: boolean
  /** Ports that pages may be read from. */
  readonly ports: readonly number[]
  readonly search?: SearchConfig
}
