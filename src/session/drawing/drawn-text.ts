import type { Entry } from '../../chat/entry.ts'
import type { MarkdownTools } from '../markdown/blocks.ts'
import type { ColourOfAuthor } from './name-colours.ts'
import { renderEntry } from './render-entry.ts'
import { USUAL, type Aspect } from './aspect.ts'
import { styleKey, type DrawingStyle } from './theme.ts'

/** Whole rows as they are written to a raw terminal. */
export interface DrawnText {
  /** Rows joined by CR LF, none after the last. */
  readonly text: string
  readonly rows: number
  /** False if some terminal may give a row more cells than the page has, and then break it. */
  readonly isSure: boolean
}

/** Rows joined by LF, each of at most `columns` cells by our count, as they are written. */
export function drawnText(rendered: string, columns: number): DrawnText {
  const rows = rendered.split('\n')
  return { text: rows.join('\r\n'), rows: rows.length, isSure: rows.every((row) => surelyFits(row, columns)) }
}

/** The same for rows. */
export const drawnRows = (rows: readonly string[], columns: number): DrawnText =>
  rows.length === 0 ? { text: '', rows: 0, isSure: true } : drawnText(rows.join('\n'), columns)

/** Several texts, one below the other. */
export const joinTexts = (texts: readonly DrawnText[]): DrawnText => ({
  text: texts.map(({ text }) => text).join('\r\n'),
  rows: rowsOf(texts),
  isSure: texts.every(({ isSure }) => isSure),
})

/** How many rows several texts have together. */
export const rowsOf = (texts: readonly DrawnText[]): number => texts.reduce((sum, { rows }) => sum + rows, 0)

/** Colours, and the beginnings and ends of links. */
const NO_CELLS = /\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\/g

/** What is not ASCII counts two cells a UTF-16 unit: no terminal gives it more, however it takes ambiguous characters. */
function surelyFits(row: string, columns: number): boolean {
  const shown = row.includes('\u001b') ? row.replace(NO_CELLS, '') : row
  if (shown.length * 2 <= columns) return true
  const ascii = shown.replace(/[^ -~]/g, '').length
  return ascii + 2 * (shown.length - ascii) <= columns
}

/** An entry as it is drawn in a style, for those to whom it is the same. */
export type DrawEntry = (entry: Entry, style: DrawingStyle, aspect?: Aspect) => DrawnText

/**
 * Draws each entry once in each style and aspect, however many sessions show it: a room delivers the same object to all. What was
 * drawn is kept as long as somebody holds the entry. `colourOf` gives the colour of the author's name.
 */
export function createDrawEntry(markdown: () => MarkdownTools, colourOf: ColourOfAuthor): DrawEntry {
  const drawn = new WeakMap<Entry, Map<string, DrawnText>>()
  return (entry, style, aspect = USUAL) => {
    const styles = drawn.get(entry) ?? new Map<string, DrawnText>()
    drawn.set(entry, styles)
    const key = styleKey(style) + aspect.key
    const known =
      styles.get(key) ??
      drawnText(renderEntry(entry, style, markdown(), aspect, colourOf(entry)), style.columns)
    styles.set(key, known)
    return known
  }
}
