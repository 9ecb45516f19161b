import xterm from '@xterm/headless'
import { markup } from '../../src/base/markup.ts'
import { readScreen, type ScreenRow } from './screen.ts'
import { steadyScreen } from './steady.ts'
import { CELL, pictureSvg, rowSvg, widthOf } from './svg.ts'

/** More frames a second cost bytes, and typing looks no better. */
const FRAME_S = 0.12
/** The last screen is read before the film begins again. */
const END_S = 5

/** What stands in one row of the screen, from when. `id` is undefined for an empty row. */
interface Shown {
  readonly at: number
  readonly id: string | undefined
}

/**
 * An asciicast as a picture that moves and begins again. Every row of the screen is a strip with all that stands there in
 * the course of the film, and is moved by its keyframes; the same text is drawn once. Without motion the end is shown.
 */
export async function filmSvg(cast: string): Promise<string> {
  const [head, ...events] = cast.trim().split('\n')
  const { width, height, title } = JSON.parse(head ?? '') as { width: number; height: number; title: string }
  const emulator = new xterm.Terminal({ cols: width, rows: height, allowProposedApi: true })
  const ids = new Map<string, { readonly id: string; readonly row: ScreenRow }>()
  const strips = Array.from({ length: height }, (): Shown[] => [])
  const output = events.map((line) => JSON.parse(line) as readonly [at: number, kind: string, text: string])
  let last = -Infinity
  for (const [index, [at, , text]] of output.entries()) {
    await new Promise<void>((resolve) => emulator.write(text, resolve))
    const next = output[index + 1]?.[0] ?? Infinity
    if (next - last < FRAME_S) continue
    last = at
    for (const [y, row] of steadyScreen(readScreen(emulator)).entries()) {
      const id = idOf(row, ids)
      const strip = strips[y]
      if (strip && (strip.length === 0 || strip.at(-1)?.id !== id)) strip.push({ at, id })
    }
  }
  return drawFilm(strips, [...ids.values()], { columns: width, title, seconds: last + END_S })
}

function idOf(row: ScreenRow, ids: Map<string, { readonly id: string; readonly row: ScreenRow }>) {
  const isEmpty = row.every(({ text, look }) => text === ' ' && look.ground === row[0]?.look.ground)
  if (isEmpty) return undefined
  const key = JSON.stringify(row)
  const known = ids.get(key) ?? { id: `r${ids.size}`, row }
  ids.set(key, known)
  return known.id
}

function drawFilm(
  strips: readonly (readonly Shown[])[],
  rows: readonly { readonly id: string; readonly row: ScreenRow }[],
  { columns, title, seconds }: { readonly columns: number; readonly title: string; readonly seconds: number },
): string {
  const wide = Math.round(widthOf(columns))
  const styles = strips.map((strip, y) => {
    const frames = strip.map(
      ({ at }, index) =>
        `${index === 0 ? 0 : Math.round((at / seconds) * 10_000) / 100}%{transform:translateX(${-index * wide}px)}`,
    )
    const end = `#s${y}{transform:translateX(${-(strip.length - 1) * wide}px);animation:k${y} ${seconds.toFixed(1)}s steps(1,end) infinite}`
    return `${end}@keyframes k${y}{${frames.join('')}}`
  })
  const drawn = strips.map((strip, y) => {
    const uses = strip.map(({ id }, index) => id && markup`<use href="#${id}" x="${String(index * wide)}"/>`)
    return markup`<svg y="${String(y * CELL.height)}" width="${String(wide)}" height="${String(CELL.height)}"><g id="s${String(y)}">${uses}</g></svg>
    `
  })
  const still = '@media(prefers-reduced-motion){g{animation:none!important}}'
  return pictureSvg(
    { columns, rows: strips.length, title },
    markup`<style>${styles.join('\n')}${still}</style>
    <defs>${rows.map(({ id, row }) => markup`<g id="${id}">${rowSvg(row, 0)}</g>`)}</defs>
    ${drawn}`,
  )
}
