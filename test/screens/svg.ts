import { markup, type Html } from '../../src/base/markup.ts'
import { GROUNDS, type CellLook, type ScreenRow, type ScreenTheme } from './screen.ts'

/** Pixels of a cell, and around the screen. */
export const CELL = { width: 8.4, height: 18 }
const MARGIN = 14
const TITLE = 30

/** In pixels, with the margins. */
export const widthOf = (columns: number): number => columns * CELL.width + 2 * MARGIN

/** A screen as a picture. Every stretch has its length in it, so that it stands in its cells whatever font there is. */
export function screenSvg(screen: readonly ScreenRow[], title: string, theme: ScreenTheme = 'dark'): string {
  const rows = screen.slice(0, screen.findLastIndex((row) => row.some(({ text }) => text !== ' ')) + 1)
  const columns = Math.max(...rows.map((row) => row.reduce((sum, { width }) => sum + width, 0)))
  const drawn = rows.map((row, index) => rowSvg(row, index * CELL.height, theme))
  return pictureSvg({ columns, rows: rows.length, title, theme }, markup`${drawn}`)
}

interface Picture {
  readonly columns: number
  readonly rows: number
  readonly title: string
  readonly theme?: ScreenTheme
}

/** The window around `screen`, whose first row is at 0. */
export function pictureSvg({ columns, rows, title, theme = 'dark' }: Picture, screen: Html): string {
  const width = widthOf(columns)
  const height = rows * CELL.height + MARGIN + TITLE + MARGIN / 2
  return String(markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rounded(width)} ${rounded(height)}" width="${rounded(width)}" height="${rounded(height)}" role="img" aria-label="${title}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">
    <title>${title}</title>
    <rect width="100%" height="100%" rx="8" fill="${GROUNDS[theme]}"/>
    <g><circle cx="18" cy="16" r="5" fill="#ef6b73"/><circle cx="36" cy="16" r="5" fill="#e5c07b"/><circle cx="54" cy="16" r="5" fill="#98c379"/></g>
    <svg y="${rounded(TITLE)}" shape-rendering="crispEdges">
    ${screen}</svg>
    </svg>
    `)
}

const rounded = (number: number): string => String(Math.round(number * 10) / 10)

export function rowSvg(row: ScreenRow, y: number, theme: ScreenTheme = 'dark'): Html {
  return markup`${stretchesOf(row).map((stretch) => stretchSvg(stretch, y, theme))}`
}

interface Stretch {
  readonly column: number
  readonly cells: number
  readonly text: string
  readonly look: CellLook
}

/** Neighbours that look the same. A wide character stands alone, since fonts disagree about its width. */
function stretchesOf(row: ScreenRow): readonly Stretch[] {
  const stretches: Stretch[] = []
  let column = 0
  for (const { text, width, look } of row) {
    const last = stretches.at(-1)
    const isPlain = width === 1 && /^[ -~─]$/.test(text)
    const goesOn = last && isPlain && /^[ -~─]*$/.test(last.text) && sameLook(last.look, look)
    if (goesOn) stretches[stretches.length - 1] = { ...last, cells: last.cells + 1, text: last.text + text }
    else stretches.push({ column, cells: width, text, look })
    column += width
  }
  return stretches
}

const sameLook = (one: CellLook, other: CellLook): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What fills its cell whole or in part is drawn, so that nothing of the font shows between cells. */
const BLOCKS: Readonly<
  Record<string, readonly (readonly [x: number, y: number, width: number, height: number])[]>
> = {
  '█': [[0, 0, 1, 1]],
  '▙': [
    [0, 0, 0.5, 1],
    [0.5, 0.5, 0.5, 0.5],
  ],
  '▟': [
    [0.5, 0, 0.5, 1],
    [0, 0.5, 0.5, 0.5],
  ],
  '▚': [
    [0, 0, 0.5, 0.5],
    [0.5, 0.5, 0.5, 0.5],
  ],
  '▞': [
    [0.5, 0, 0.5, 0.5],
    [0, 0.5, 0.5, 0.5],
  ],
}

function stretchSvg({ column, cells, text, look }: Stretch, y: number, theme: ScreenTheme): Html {
  const x = MARGIN + column * CELL.width
  const width = cells * CELL.width
  const ground =
    look.ground !== GROUNDS[theme] &&
    markup`<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" height="${CELL.height}" fill="${look.ground}"/>
      `
  const blocks = BLOCKS[text]
  if (blocks)
    return markup`${ground}${blocks.map(
      ([
        dx,
        dy,
        w,
        h,
      ]) => markup`<rect x="${rounded(x + dx * CELL.width)}" y="${rounded(y + dy * CELL.height)}" width="${rounded(w * CELL.width)}" height="${rounded(h * CELL.height)}" fill="${look.ink}"/>
      `,
    )}`
  if (text.trim() === '') return markup`${ground}`
  const lead = text.length - text.trimStart().length
  const shown = text.trim()
  const style = [
    look.bold && 'font-weight:bold',
    look.italic && 'font-style:italic',
    look.underline && 'text-decoration:underline',
  ].filter(Boolean)
  return markup`${ground}<text x="${rounded(x + lead * CELL.width)}" y="${rounded(y + 13.5)}" fill="${look.ink}"${
    style.length > 0 && markup` style="${style.join(';')}"`
  } textLength="${rounded((cells === shown.length || text.length === cells ? shown.length : cells) * CELL.width)}" xml:space="preserve">${shown}</text>
    `
}
