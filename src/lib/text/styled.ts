/** A stretch of a line; `tint` is a number where it has a colour of its own: the same number, the same colour. */
export interface Span {
  readonly text: string
  readonly tint?: number
}

/**
 * Lines that are drawn rather than written: what they look like is for the terminal's theme to say, and they must
 * say everything without any colour too. Never has escape sequences in it.
 */
export interface Styled {
  readonly lines: readonly (readonly Span[])[]
}

/** The same without colours. */
export const plainOf = (text: string | Styled): string =>
  typeof text === 'string'
    ? text
    : text.lines.map((spans) => spans.map((span) => span.text).join('')).join('\n')
