export interface DrawnText {
  /** Rows joined by CR LF. */
  readonly text: string
  readonly rows: number
  /** False if some terminal may break a row. */
  readonly isSure: boolean
}

export function drawnText(rendered: string, columns: number): DrawnText {
  const rows = rendered.split('\n')
  return { text: rows.join('\r\n'), rows: rows.length, isSure: rows.every((row) => surelyFits(row, columns)) }
}

export const drawnRows = (rows: readonly string[], columns: number): DrawnText =>
  rows.length === 0 ? { text: '', rows: 0, isSure: true } : drawnText(rows.join('\n'), columns)

export const joinTexts = (texts: readonly DrawnText[]): DrawnText => ({
  text: texts.map(({ text }) => text).join('\r\n'),
  rows: rowsOf(texts),
  isSure: texts.every(({ isSure }) => isSure),
})

export const rowsOf = (texts: readonly DrawnText[]): number => texts.reduce((sum, { rows }) => sum + rows, 0)

/** No terminal gives a UTF-16 unit more than two cells. */
function surelyFits(row: string, columns: number): boolean {
  const shown = withoutSequences(row)
  if (shown.length * 2 <= columns) return true
  const ascii = shown.replace(/[^ -~]/g, '').length
  return ascii + 2 * (shown.length - ascii) <= columns
}

const SEQUENCES = /\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\/g

export const withoutSequences = (row: string): string =>
  row.includes('\u001b') ? row.replace(SEQUENCES, '') : row
