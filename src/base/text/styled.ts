/** The role of a text. docs/terminal.md explains how each role looks. */
export type TextRole =
  | 'own'
  | 'model'
  | 'tool'
  /** Notices of the room. */
  | 'system'
  /** Times, hints and totals. */
  | 'dim'
  /** Questions and approvals, the brightest role. */
  | 'waiting'
  | 'mention'
  /** Failures and refusals. */
  | 'error'
  | 'code'
  | 'heading'
  | 'link'
  | 'status'

/** Precedence: link, code, role, tint. A model has a tint in addition to its role. */
export interface SpanStyle {
  readonly role?: TextRole
  /** Equal numbers have equal colours. */
  readonly tint?: number
  readonly strong?: true
  readonly emphasis?: true
  readonly strike?: true
  readonly underline?: true
  readonly code?: true
  /** An address that `safeAddress` returned. */
  readonly link?: string
}

export interface Span extends SpanStyle {
  readonly text: string
  /** True for a drawing, such as a bar, whose meaning the text beside it repeats. */
  readonly isPicture?: true
}

/** Lines without escape sequences. The theme decides their look; they must be clear without colours. */
export interface StyledText {
  readonly lines: readonly (readonly Span[])[]
}

/** Returns text for screen readers, without colours and drawings. */
export const spokenText = (text: string | StyledText): string =>
  typeof text === 'string'
    ? text
    : text.lines
        .map((spans) => spans.filter(({ isPicture }) => !isPicture))
        .filter((spans) => spans.length > 0)
        .map((spans) => spans.map((span) => span.text).join(''))
        .join('\n')

export const plainOf = (text: string | StyledText): string =>
  typeof text === 'string'
    ? text
    : text.lines.map((spans) => spans.map((span) => span.text).join('')).join('\n')
