import { expect, test } from 'vitest'
import { drawnText } from '../../../../src/session/drawing/entry-rows.ts'
import { NO_REGION, paintRegion, type Region } from '../../../../src/session/drawing/region.ts'
import { createEmulator } from '../../../support/terminal.ts'

const LINE = `bob: ${'said '.repeat(9)}`.trimEnd()
const STATUS = 'lobby · 1 here'
const DRAFT = '> a draft that is longer than a row of the narrower window'

/** A status from edge to edge, and the draft with the cursor behind it. */
const region = (columns: number, ...draft: readonly string[]): Region => ({
  rows: [STATUS.padEnd(columns), ...draft],
  live: 0,
  cursor: { row: draft.length, column: draft.at(-1)?.length ?? 0 },
  size: { columns, rows: 10 },
})

const [wide, narrow] = [region(100, DRAFT), region(43, DRAFT.slice(0, 42), DRAFT.slice(42))]
const drawWide = paintRegion(NO_REGION, [drawnText(LINE, 99)], wide)
const SHOWN = [LINE.slice(0, 43), LINE.slice(43), STATUS, ...narrow.rows.slice(1)]

// xterm.js, and so the terminal of VS Code, cuts the row of the cursor and breaks the others.
test('a line that wraps after a resize stays whole on the screen', async () => {
  const emulator = createEmulator(100, 10)
  await emulator.write(drawWide)
  emulator.resize(43, 10)
  await emulator.write(paintRegion(wide, [], narrow))
  expect(emulator.screen()).toEqual(SHOWN)
})

// tmux and most others break all rows, as if they had been written into the narrower window.
test('a resize leaves no old status line above if the row of the cursor is broken', async () => {
  const emulator = createEmulator(43, 10)
  await emulator.write([LINE, ...wide.rows].join('\r\n'))
  await emulator.write(paintRegion(wide, [], narrow))
  expect(emulator.screen()).toEqual(SHOWN)
})
