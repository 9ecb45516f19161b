import type { Entry } from '../../chat/entry.ts'
import { renderEntry } from './render-entry.ts'
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

/** Several texts, one below the other. */
export const joinTexts = (texts: readonly DrawnText[]): DrawnText => ({
  text: texts.map(({ text }) => text).join('\r\n'),
  rows: texts.reduce((sum, { rows }) => sum + rows, 0),
  isSure: texts.every(({ isSure }) => isSure),
})

const SGR = /\u001b\[[\d;]*m/g

/** What is not ASCII counts two cells a UTF-16 unit: no terminal gives it more, however it takes ambiguous characters. */
function surelyFits(row: string, columns: number): boolean {
  const shown = row.includes('\u001b') ? row.replace(SGR, '') : row
  if (shown.length * 2 <= columns) return true
  const ascii = shown.replace(/[^ -~]/g, '').length
  return ascii + 2 * (shown.length - ascii) <= columns
}

/** An entry as it is drawn in a style. */
export type DrawEntry = (entry: Entry, style: DrawingStyle) => DrawnText

/**
 * Draws each entry once in each style, however many sessions show it: a room delivers the same object to all. What was
 * drawn is kept as long as somebody holds the entry.
 */
export function createDrawEntry(): DrawEntry {
  const drawn = new WeakMap<Entry, Map<string, DrawnText>>()
  return (entry, style) => {
    const styles = drawn.get(entry) ?? new Map<string, DrawnText>()
    drawn.set(entry, styles)
    const key = styleKey(style)
    const known = styles.get(key) ?? drawnText(renderEntry(entry, style), style.columns)
    styles.set(key, known)
    return known
  }
}
