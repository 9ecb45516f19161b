/** A page could not be had; the message says why, and is for the model. */
export class WebError extends Error {
  override readonly name = 'WebError'
}

/** What a page is turned into. `raw` is the body as it came. */
export type PageFormat = 'markdown' | 'text' | 'raw'

/** A page that was read. */
export interface Page {
  /** Where it was in the end, after redirects. */
  readonly url: string
  /** Empty when it has none. */
  readonly title: string
  readonly text: string
}

/** Reads pages of the public web, and never anything that only this machine or its network can reach. */
export interface WebReader {
  /** Throws `WebError`; stops soon when the signal is aborted, with its reason. */
  read(url: string, format: PageFormat, signal: AbortSignal): Promise<Page>
}

/** One answer of a search. */
export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

/** Searches the web with the provider that the config names. */
export interface WebSearch {
  /** Answers from number `start` on, the first being 1. Throws `WebError`. */
  search(query: string, start: number, signal: AbortSignal): Promise<readonly SearchHit[]>
}
