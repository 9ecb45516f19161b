/** docs/terminal.md says why each looks as it does. */
export type TextRole =
  | 'own'
  | 'model'
  | 'tool'
  /** What the room says. */
  | 'system'
  /** Times, hints, sums. */
  | 'dim'
  /** Questions and approvals. Nothing is brighter. */
  | 'waiting'
  /** A line that names this person. */
  | 'mention'
  /** Failures and refusals. */
  | 'error'
  | 'code'
  | 'heading'
  | 'link'
  | 'status'

/** A link comes before code, code before a role, a role before a tint; a model has a tint of its role. */
export interface SpanStyle {
  readonly role?: TextRole
  /** The same number is the same colour. */
  readonly tint?: number
  readonly strong?: true
  readonly emphasis?: true
  readonly strike?: true
  readonly underline?: true
  readonly code?: true
  /** A safe address (lib/addresses.ts). */
  readonly link?: string
}

export interface Span extends SpanStyle {
  readonly text: string
  /** True for a bar or the like: the text beside it says the same. */
  readonly isPicture?: true
}

/**
 * Drawn lines. The theme says how they look, and they must say everything without colours. Without escape
 * sequences.
 */
export interface Styled {
  readonly lines: readonly (readonly Span[])[]
}

/** For screen readers: neither colours nor pictures. */
export const spokenOf = (text: string | Styled): string =>
  typeof text === 'string'
    ? text
    : text.lines
        .map((spans) => spans.filter(({ isPicture }) => !isPicture))
        .filter((spans) => spans.length > 0)
        .map((spans) => spans.map((span) => span.text).join(''))
        .join('\n')

export const plainOf = (text: string | Styled): string =>
  typeof text === 'string'
    ? text
    : text.lines.map((spans) => spans.map((span) => span.text).join('')).join('\n')
