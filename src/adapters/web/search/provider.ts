import type { SearchHit } from '../../../tools/ports/web.ts'
import type { SearchConfig } from '../config.ts'

/** One question to a provider. */
export interface SearchRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** What is different from one search provider to the next. */
export interface Provider {
  /** Where it answers when the config does not say; absent where that cannot be known. */
  readonly usualUrl?: string
  /** The request for results from number `start`, 1-based. */
  request(
    base: URL,
    query: { readonly words: string; readonly start: number },
    config: SearchConfig,
  ): SearchRequest
  /** The results in an answer's JSON; undefined if it is not an answer of this provider. */
  hits(answer: unknown): readonly SearchHit[] | undefined
  /** What an admin can do about a status. */
  readonly advice?: Readonly<Record<number, string>>
}
