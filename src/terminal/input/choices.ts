import { plainRows } from '../../base/text/pages.ts'

const MAX_WORDS_SHOWN = 60

/** Rows of the window for the status line, the prompt and the row that says how many more there are. */
const ROWS_KEPT = 4

/** Returns what Tab lists: a row per choice with a summary, as many as the window has; else words. */
export function listChoices(
  choices: readonly string[],
  summaryOf: (choice: string) => string | undefined,
  window: { readonly columns: number; readonly rows: number },
): string {
  const width = Math.max(...choices.map(({ length }) => length)) + 2
  const rows = choices.map((choice) => `${choice.padEnd(width)}${summaryOf(choice) ?? ''}`.trimEnd())
  if (rows.every((row, at) => row === choices[at])) return limited(choices, MAX_WORDS_SHOWN, '').join('  ')
  const cut = rows.map((row) => oneRow(row, window.columns - 1))
  return limited(cut, Math.max(1, window.rows - ROWS_KEPT), '; type a letter, then Tab').join('\n')
}

function limited(all: readonly string[], most: number, then: string): readonly string[] {
  return all.length <= most ? all : [...all.slice(0, most), `… ${all.length - most} more${then}`]
}

function oneRow(row: string, columns: number): string {
  if (row.length <= columns) return row
  const [fitting = ''] = plainRows(row, columns - 2, '')
  return `${fitting.trimEnd()} …`
}
