/** The message never contains a key. */
export class WebError extends Error {
  override readonly name = 'WebError'
}

/** `text` is Markdown without marks, `raw` is the server's text. */
export type PageFormat = 'markdown' | 'text' | 'raw'

/** A page, whose content is untrusted. */
export interface WebPage {
  /** The address after redirects. */
  readonly url: string
  /** The HTTP status, always 2xx. */
  readonly status: number
  /** Such as `text/html`. */
  readonly contentType: string
  readonly title: string
  readonly text: string
  /** True if the page is longer than the limit. */
  readonly cut: boolean
}

export interface PageRequest {
  /** Includes an unusual port. Permissions are for this host. */
  readonly host: string
  readonly url: string
  /** Reads the page within its own limits. */
  read(format: PageFormat, signal: AbortSignal): Promise<WebPage>
}

export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

export interface WebSearch {
  readonly provider: string
  readonly host: string
  /** Resolves to about ten results from number `start`, 1-based. */
  find(
    query: { readonly words: string; readonly start: number },
    signal: AbortSignal,
  ): Promise<readonly SearchHit[]>
}

/** Unconfigured parts are absent. Their methods reject with `WebError` only, or with the signal's reason. */
export interface Web {
  /** Throws `WebError` unless it is a public web address. Sends nothing before `read`. */
  readonly visit?: (url: string) => PageRequest
  readonly search?: WebSearch
}
