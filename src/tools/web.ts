/** The message never has a key in it. */
export class WebError extends Error {
  override readonly name = 'WebError'
}

/** `text` is `markdown` without marks, `raw` is as the server sent it. */
export type PageFormat = 'markdown' | 'text' | 'raw'

/** Nothing in it can be trusted. */
export interface WebPage {
  /** After redirects. */
  readonly url: string
  /** 2xx */
  readonly status: number
  /** Such as `text/html`. */
  readonly contentType: string
  readonly title: string
  readonly text: string
  /** True if there was more than may be read. */
  readonly cut: boolean
}

export interface Visit {
  /** With an unusual port. A permission is for this. */
  readonly host: string
  readonly url: string
  /** Reads the page within limits of its own. Rejects with `WebError`, or with the signal's reason. */
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
  /** About ten results from number `start`, from 1. Rejects with `WebError`, or the signal's reason. */
  find(
    query: { readonly words: string; readonly start: number },
    signal: AbortSignal,
  ): Promise<readonly SearchHit[]>
}

/** Parts that are not configured are absent. */
export interface Web {
  /** Throws `WebError` unless it is a public web address; nothing is sent before `read`. */
  readonly visit?: (url: string) => Visit
  readonly search?: WebSearch
}
