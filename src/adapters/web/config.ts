/** The web as it is configured. */
export interface WebConfig {
  /** Whether pages may be read. */
  readonly fetch: boolean
  /** Ports that pages may be read from. */
  readonly ports: readonly number[]
  readonly search?: SearchConfig
}

/** A search provider as it is configured. */
export interface SearchConfig {
  readonly provider: 'searxng' | 'brave' | 'google'
  /** Where it answers; the provider's own address when absent. */
  readonly url?: string
  /** The key itself, read from the environment by config.ts. Never logged, never in an error. */
  readonly apiKey?: string
  /** The name of the environment variable that the key came from, for error messages. */
  readonly apiKeyEnv?: string
  /** Google's `cx`. */
  readonly engineId?: string
}
