// editing/ is what the keys of a line editor do to a draft, and what it keeps for them: what was cut out, what can be undone,
// what is looked for. All of it is pure; line-editor.ts joins it. It must not know bytes, screens or rooms.

/** What somebody is typing. `cursor` is an index into `text` in UTF-16 units, never within a code point. */
export interface Draft {
  readonly text: string
  readonly cursor: number
  /** What stands before it in place of the usual prompt. */
  readonly prompt?: string
}

export const EMPTY_DRAFT: Draft = { text: '', cursor: 0 }

/** A draft of this text, the cursor at its end. */
export const draftOf = (text: string): Draft => ({ text, cursor: text.length })

/** The same text with the cursor elsewhere. */
export const moveTo = ({ text }: Draft, cursor: number): Draft => ({ text, cursor })

/** Without what is between two indices; the cursor stands there. */
export const cut = ({ text }: Draft, from: number, to: number): Draft => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
})
