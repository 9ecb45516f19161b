import type { SearchHit } from '../../../tools/web.ts'

/** One question to a provider. */
export interface SearchRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** Where a search provider is, and how to log in there. */
export interface SearchAccess {
  /** Where it answers; the provider's own address when absent. */
  readonly url?: string
  /** The key itself, read from the environment by src/config. Never logged, never in an error. */
  readonly apiKey?: string
  /** The name of the environment variable that the key came from, for error messages. */
  readonly apiKeyEnv?: string
  /** Google's `cx`. */
  readonly engineId?: string
}

/** Keys of `[tools.web.search]` that some providers can do without. */
export type RequiredSearchKey = 'url' | 'api_key_env' | 'engine_id'

/** All that is a search provider's own. */
export interface SearchProvider {
  /** What `[tools.web.search]` must say. */
  readonly required: readonly RequiredSearchKey[]
  /** Where it answers when the config does not say; absent where that cannot be known. */
  readonly usualUrl?: string
  /** The request for results from number `start`, 1-based. */
  request(
    base: URL,
    query: { readonly words: string; readonly start: number },
    access: SearchAccess,
  ): SearchRequest
  /** The results in an answer's JSON; undefined if it is not an answer of this provider. */
  hits(answer: unknown): readonly SearchHit[] | undefined
  /** What an admin can do about a status. */
  readonly advice?: Readonly<Record<number, string>>
}
