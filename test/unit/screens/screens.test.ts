import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseHTML } from 'linkedom'
import xterm from '@xterm/headless'
import { expect, test } from 'vitest'
import { asciicast } from '../../screens/cast.ts'
import { filmSvg } from '../../screens/film.ts'
import { readScreen, type ScreenRow } from '../../screens/screen.ts'
import { steadyScreen } from '../../screens/steady.ts'
import { screenSvg } from '../../screens/svg.ts'
import { createEmulator } from '../../support/terminal.ts'

const dir = fileURLToPath(new URL('../../../docs/screens/', import.meta.url))

async function screenOf(text: string, cols = 40): Promise<readonly ScreenRow[]> {
  const emulator = new xterm.Terminal({ cols, rows: 3, allowProposedApi: true })
  await new Promise<void>((resolve) => emulator.write(text, resolve))
  return readScreen(emulator)
}

const textOf = (row: ScreenRow | undefined): string => row?.map(({ text }) => text).join('') ?? ''

test('a screen picture places each text run in its cells with its colours and escapes markup', async () => {
  const svg = screenSvg(
    await screenOf('a<b \u001b[1;31mred\u001b[0m \u001b[7minv\u001b[0m 漢█\r\n  two'),
    'a "title"',
  )
  const { document } = parseHTML(svg)
  const texts = [...document.querySelectorAll('text')].map((one) => [
    one.textContent,
    one.getAttribute('x'),
    one.getAttribute('textLength'),
    one.getAttribute('fill'),
  ])
  expect(texts).toEqual([
    ['a<b', '14', '25.2', '#dfe3e8'],
    ['red', '47.6', '25.2', '#ef6b73'],
    ['inv', '81.2', '25.2', '#16191d'],
    ['漢', '114.8', '16.8', '#dfe3e8'],
    ['two', '30.8', '25.2', '#dfe3e8'],
  ])
  expect(document.querySelector('title')?.textContent).toBe('a "title"')
  expect([...document.querySelectorAll('rect')].map((one) => one.getAttribute('x'))).toEqual([
    null,
    '81.2',
    '131.6',
  ])
})

test('steadyScreen replaces measured durations and clock times with fixed ones', async () => {
  const seen = ['run (558ms, 2 B) 3.2s 09:12', 'run (1m 4s, 2 B) 12s 23:59'].map(async (text) =>
    textOf(steadyScreen(await screenOf(`\u001b[7m${text}`))[0]),
  )
  const [one, other] = await Promise.all(seen)
  expect(one).toBe('run (0.8s, 2 B) 0.8s 09:41'.padEnd(40))
  expect(other).toBe(one)
})

test('a recording shortens long pauses and keeps the terminal output unchanged', () => {
  const output = [
    { at: 1, text: 'a' },
    { at: 9, text: 'b\u001b[2J' },
    { at: 9.5, text: 'c' },
  ]
  const [head, ...events] = asciicast(output, { columns: 80, rows: 24, title: 'x' }).trim().split('\n')
  expect(JSON.parse(head!)).toMatchObject({ version: 2, width: 80, height: 24, title: 'x' })
  expect(events.map((line) => JSON.parse(line) as unknown)).toEqual([
    [0, 'o', 'a'],
    [2, 'o', 'b\u001b[2J'],
    [2.5, 'o', 'c'],
  ])
})

test('an SVG film shows every row at its time and starts again', async () => {
  const output = [
    { at: 0, text: 'one' },
    { at: 1, text: '\r\ntwo' },
    { at: 2, text: '\r\none\u001b[1;1H\u001b[K' },
  ]
  const svg = await filmSvg(asciicast(output, { columns: 10, rows: 3, title: 'x' }))
  const { document } = parseHTML(svg)
  const strips = [0, 1, 2].map((y) =>
    [...document.querySelectorAll(`#s${y} use`)].map((one) => [
      one.getAttribute('href'),
      one.getAttribute('x'),
    ]),
  )
  expect(strips).toEqual([[['#r0', '0']], [['#r1', '112']], [['#r0', '112']]])
  const style = document.querySelector('style')?.textContent
  expect(style).toContain('k0 7.0s steps(1,end) infinite}@keyframes k0{0%{transform:translateX(0px)}28.57%')
})

test('the folder docs/screens has five pictures without scripts or external resources', async () => {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.svg'))
  expect(files).toHaveLength(5)
  for (const file of files) {
    const svg = await readFile(dir + file, 'utf8')
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href=(?!"#)|url\(|@import| on\w+=/i)
    expect(parseHTML(svg).document.querySelectorAll('text').length).toBeGreaterThan(5)
  }
})

test('the first-minute recording in docs/screens plays to its end in under a minute', async () => {
  const [head, ...events] = (await readFile(`${dir}first-minute.cast`, 'utf8')).trim().split('\n')
  const { width, height } = JSON.parse(head!) as { readonly width: number; readonly height: number }
  const emulator = createEmulator(width, height)
  let before = 0
  for (const line of events) {
    const [at, kind, text] = JSON.parse(line) as readonly [number, string, string]
    expect(kind).toBe('o')
    expect(at).toBeGreaterThanOrEqual(before)
    before = at
    await emulator.write(text)
  }
  expect(before).toBeLessThan(60)
  const shown = emulator.all().join('\n')
  for (const words of ['/allow 1', '7 words', 'invited ann', 'bob-qwen']) expect(shown).toContain(words)
})
