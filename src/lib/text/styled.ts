/** What parts of a screen are, for the eye; docs/terminal.md says why each looks as it does. */
export type TextRole =
  /** One's own name. */
  | 'own'
  /** A model's name. */
  | 'model'
  /** What tools were asked and what came back. */
  | 'tool'
  /** What the room itself says. */
  | 'system'
  /** What matters less: times, hints, sums. */
  | 'dim'
  /** What waits for somebody: questions, approvals. Nothing is brighter. */
  | 'waiting'
  /** A line that names this person. */
  | 'mention'
  /** What went wrong, and every refusal. */
  | 'error'
  | 'code'
  | 'heading'
  | 'link'
  /** The status line. */
  | 'status'

/** How a text looks. A link looks as one, then code, then a role, then a tint. */
export interface SpanStyle {
  readonly role?: TextRole
  /** A colour of its own, by number: the same number, the same colour. */
  readonly tint?: number
  readonly strong?: true
  readonly emphasis?: true
  readonly strike?: true
  readonly underline?: true
  readonly code?: true
  /** A safe address (lib/addresses.ts). */
  readonly link?: string
}

/** A text that looks the same throughout. */
export interface Span extends SpanStyle {
  readonly text: string
  /** True for what is there for the eye alone, such as a bar: the text beside it says the same. */
  readonly isPicture?: true
}

/**
 * Lines that are drawn rather than written: what they look like is for the terminal's theme to say, and they must
 * say everything without any colour too. Never has escape sequences in it.
 */
export interface Styled {
  readonly lines: readonly (readonly Span[])[]
}

/** What is said to who listens to it: neither colours nor pictures. */
export const spokenOf = (text: string | Styled): string =>
  typeof text === 'string'
    ? text
    : text.lines
        .map((spans) => spans.filter(({ isPicture }) => !isPicture))
        .filter((spans) => spans.length > 0)
        .map((spans) => spans.map((span) => span.text).join(''))
        .join('\n')

/** The same without colours. */
export const plainOf = (text: string | Styled): string =>
  typeof text === 'string'
    ? text
    : text.lines.map((spans) => spans.map((span) => span.text).join('')).join('\n')
