import type { IBufferCell, Terminal } from '@xterm/headless'

/** How a cell looks; the same look is the same object's values. */
export interface CellLook {
  /** `#rrggbb`. */
  readonly ink: string
  readonly ground: string
  readonly bold: boolean
  readonly italic: boolean
  readonly underline: boolean
}

export interface ScreenCell {
  readonly text: string
  readonly width: number
  readonly look: CellLook
}

export type ScreenRow = readonly ScreenCell[]

/** The ground and the ink of the pictures, and the sixteen colours that a terminal has names for. */
export const GROUNDS = { dark: '#16191d', light: '#fbfaf6' } as const
const INKS = { dark: '#dfe3e8', light: '#24292e' } as const
export type ScreenTheme = keyof typeof GROUNDS
const NAMED = [
  ...['#3b4048', '#ef6b73', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#c8ccd4'],
  ...['#6b7280', '#ff8a91', '#b5e890', '#ffd68a', '#8cc8ff', '#e09cf5', '#7fdbe6', '#ffffff'],
]
const CUBE = [0, 95, 135, 175, 215, 255]

/** The rows that are seen, from top to bottom. */
export function readScreen(emulator: Terminal, theme: ScreenTheme = 'dark'): readonly ScreenRow[] {
  const buffer = emulator.buffer.active
  return Array.from({ length: emulator.rows }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row)
    const cells = Array.from({ length: emulator.cols }, (_unused, column) => line?.getCell(column))
    return cells.flatMap((cell) => (cell && cell.getWidth() > 0 ? cellOf(cell, theme) : []))
  })
}

const cellOf = (cell: IBufferCell, theme: ScreenTheme): ScreenCell => ({
  text: cell.getChars() || ' ',
  width: cell.getWidth(),
  look: lookOf(cell, theme),
})

function lookOf(cell: IBufferCell, theme: ScreenTheme): CellLook {
  const ink = cell.isFgDefault() ? INKS[theme] : colour(cell.isFgRGB(), cell.getFgColor())
  const ground = cell.isBgDefault() ? GROUNDS[theme] : colour(cell.isBgRGB(), cell.getBgColor())
  const shown = cell.isDim() ? mixed(ink, ground) : ink
  const isInverse = cell.isInverse() !== 0
  return {
    ink: isInverse ? ground : shown,
    ground: isInverse ? shown : ground,
    bold: cell.isBold() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
  }
}

/** A colour by its number, as xterm has them (https://invisible-island.net/xterm/, 256colres.h). */
function colour(isRgb: boolean, number: number): string {
  if (isRgb) return hex([number >> 16, (number >> 8) & 255, number & 255])
  if (number < 16) return NAMED[number] ?? INKS.dark
  if (number >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (number - 232)))
  const at = number - 16
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => CUBE[step] ?? 0))
}

const hex = (parts: readonly number[]): string =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** What is dim lies between its colour and the ground. */
const mixed = (one: string, other: string): string =>
  hex([1, 3, 5].map((at) => Math.round(0.6 * part(one, at) + 0.4 * part(other, at))))

const part = (text: string, at: number): number => Number.parseInt(text.slice(at, at + 2), 16)
