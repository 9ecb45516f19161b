/** A page or a search failed; the message says why and what to do, and never holds a key. */
export class WebError extends Error {
  override readonly name = 'WebError'
}

/** The form of a page: `text` is `markdown` without marks, `raw` is what the server sent. */
export type PageFormat = 'markdown' | 'text' | 'raw'

/** A page as it was read. Nothing in it can be trusted. */
export interface WebPage {
  /** Where it was in the end, after redirects. */
  readonly url: string
  /** HTTP status, 2xx. */
  readonly status: number
  /** Such as `text/html`. */
  readonly contentType: string
  readonly title: string
  readonly text: string
  /** True if there was more than may be read. */
  readonly cut: boolean
}

/** An address that may be asked for. */
export interface Visit {
  /** The site, with its port where that is not the usual one: what a permission is for. */
  readonly host: string
  /** The whole address. */
  readonly url: string
  /** Reads the page within limits of its own. Rejects with `WebError`, or with the signal's reason. */
  read(format: PageFormat, signal: AbortSignal): Promise<WebPage>
}

/** One thing that a search found. */
export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

/** A search provider. */
export interface WebSearch {
  readonly provider: string
  /** Where the query goes. */
  readonly host: string
  /**
   * Results from number `start`, 1-based, about ten. Rejects with `WebError`, or with the signal's reason.
   */
  find(
    query: { readonly words: string; readonly start: number },
    signal: AbortSignal,
  ): Promise<readonly SearchHit[]>
}

/** The web, as far as it is configured; each part that is absent has no tool. */
export interface Web {
  /** Throws `WebError` for what is no public web address; nothing is sent before `read`. */
  readonly visit?: (url: string) => Visit
  readonly search?: WebSearch
}
