/** A page to be read. */
export interface ReadRequest {
  readonly html: string
  /** Where it came from: relative links are made whole with it. */
  readonly url: string
  readonly format: 'markdown' | 'text'
}

/** What there is to read in a page. */
export interface Reading {
  readonly title: string
  readonly text: string
  /** True if there was more. */
  readonly cut: boolean
}
