import { characterAt, codePointAt } from './characters.ts'

export type Page = string

/**
 * Splits a text into pages of at most `size` UTF-16 units (at least 2), which joined equal the text. A page
 * ends at a line's end in its last quarter, else between characters. The empty text is one empty page.
 */
export function splitPages(text: string, size: number): readonly Page[] {
  const pages: Page[] = []
  let start = 0
  while (text.length - start > size) {
    const end = pageEnd(text, start, start + size)
    pages.push(text.slice(start, end))
    start = end
  }
  return [...pages, text.slice(start)]
}

function pageEnd(text: string, start: number, limit: number): number {
  const least = limit - Math.floor((limit - start) / 4)
  const line = text.slice(least, limit).lastIndexOf('\n')
  if (line !== -1) return least + line + 1
  const character = characterAt(text, limit)
  return character > least ? character : codePointAt(text, limit)
}

/** Breaks ASCII text at spaces. Every row after the first begins with `hang`. */
export function plainRows(text: string, columns: number, hang: string): readonly string[] {
  const rows: string[] = []
  let row = ''
  for (const word of text.split(/(?<=\S)(?= )/)) {
    if (row !== '' && row.length + word.length > columns) {
      rows.push(row)
      row = hang + word.trimStart()
    } else row += word
  }
  return [...rows, row]
}
