import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { WAITING_FOR_ANSWER } from '../../../../src/words/tool-progress.ts'
import type { RoomName } from '../../../../src/words/entry.ts'
import { renderMessage } from '../../../../src/terminal/drawing/entry-rows.ts'
import { zoneOf } from '../../../../src/base/zone.ts'
import { nextText, statusParts, statusRow } from '../../../../src/terminal/drawing/status-line.ts'
import { THEMES } from '../../../../src/terminal/drawing/theme.ts'
import { status, work } from '../../../support/session-host.ts'

/** The line without colour. */
function statusLine(...args: Parameters<typeof statusParts>): string {
  const { waiting, rest } = statusParts(...args)
  return waiting + rest
}

const busy = {
  ...status,
  questions: [1],
  running: [work('@qwen', 'thinking'), work('bob', 'Grep', '1s'), work('@gpt', 'waiting', '5s')],
}

test('the status line shows questions, running work, room, people, models and tools in this order', () => {
  expect(statusLine(busy, 200)).toBe(
    'question 1: /allow 1 · @qwen thinking 3.2s · ^X to stop · bob Grep 1s · @gpt waits 5s' +
      ' · lobby · 2 here · @guide 34% · tools all (12)',
  )
  expect(statusLine({ ...status, questions: [3, 4] }, 40)).toBe('questions 3, 4: /allow 3 · lobby · …')
})

test("the status line says that y or n answers a person's own question", () => {
  expect(statusLine({ ...status, questions: [3], answeredBy: 'word' }, 40)).toBe(
    'question 3: y or n, Enter · lobby · …',
  )
})

test('the status line says that a number answers one of several questions', () => {
  expect(statusLine({ ...status, questions: [3, 4], answeredBy: 'number' }, 40)).toBe(
    'questions 3, 4: 3 allows, or /deny 3 · …',
  )
})

test('the status line shows the progress of a tool in per cent', () => {
  const running = [{ ...work('bob', 'Grep', '1s'), progress: { share: 0.376, text: 'reading' } }]
  expect(statusLine({ ...status, running }, 200)).toContain('bob Grep 37% 1s')
})

test('a person who may not answer a question reads who may answer it, without highlighting', () => {
  const others = [
    { number: 8, waitsFor: 'bob' },
    { number: 9, waitsFor: 'an admin' },
  ]
  expect(statusLine({ ...status, othersQuestions: others }, 80)).toBe(
    'question 8 waits for bob · question 9 waits for an admin · lobby · 2 here · …',
  )
  expect(statusLine({ ...status, othersQuestions: others }, 39)).toBe('question 8 waits for bob · …')
  const { dark } = THEMES
  expect(statusRow({ ...status, othersQuestions: others }, { columns: 24, theme: dark })).toBe(
    dark.status('question 8: bob · …     '),
  )
})

test('the status line keeps the stop key beside a question as long as it fits', () => {
  const asking = { ...status, questions: [7], running: [work('@qwen', 'run_command')] }
  expect(statusLine(asking, 39)).toBe('question 7: /allow 7 · ^X to stop · …')
  expect(statusLine(asking, 47)).toBe('question 7: /allow 7 · @qwen · ^X to stop · …')
  expect(statusLine(asking, 24)).toBe('question 7: /allow 7 · …')
})

test('the status line says even at 40 columns that a model waits for an answer', () => {
  const running = [work('@qwen', WAITING_FOR_ANSWER, '3.5s')]
  expect(statusLine({ ...status, running }, 60)).toBe(
    '@qwen waits for an answer 3.5s · ^X to stop · lobby · …',
  )
  expect(statusLine({ ...status, running }, 39)).toBe('@qwen waits · ^X to stop · …')
  expect(statusLine({ ...status, running, viewer: '' }, 30)).toBe('@qwen waits · …')
})

test('the status line shows the stop key only beside work that the viewer can stop', () => {
  const viewer = 'cy'
  const running = [work('@qwen', 'writing', '2s', 'ann'), work('@gpt', 'waiting', '1s', 'cy')]
  expect(statusLine({ ...status, viewer, running }, 70)).toBe(
    '@qwen writing 2s · @gpt waits 1s · ^X to stop · lobby · 2 here · …',
  )
  expect(statusLine({ ...status, viewer, running }, 39)).toBe('@qwen writing 2s · yours waits · …')
  expect(statusLine({ ...status, viewer, running: running.slice(0, 1) }, 200)).not.toContain('^X')
  expect(statusLine({ ...status, viewer: 'ann', running }, 39)).toBe('@qwen writing 2s · ^X to stop · …')
})

const HOUR_MS = 3_600_000
/** Noon of Thursday, the first of January 2026. */
const NOON = Date.UTC(2026, 0, 1, 12)

test.each([
  [NOON + HOUR_MS, 'UTC', 'next 13:00'],
  [NOON + HOUR_MS, 'Asia/Tokyo', 'next 22:00'],
  [NOON + 23 * HOUR_MS, 'UTC', 'next 11:00'],
  [NOON + 24 * HOUR_MS, 'UTC', 'next fri 12:00'],
  [NOON + 12 * HOUR_MS + 4 * 24 * HOUR_MS, 'Asia/Tokyo', 'next tue 09:00'],
  [NOON + 7 * 24 * HOUR_MS, 'UTC', 'next 2026-01-08'],
])('at noon the status line shows a run at %i in the zone %s as "%s"', (at, zone, text) =>
  expect(nextText(at, NOON, zoneOf(zone))).toBe(text),
)

test('the status line omits listeners and the next run if it needs the space for rooms with news', () => {
  const listened = { ...status, listeners: ['qwen', 'gpt'] }
  const news = [
    { room: 'ops' as RoomName, count: 3, isNamed: true },
    { room: 'den' as RoomName, count: 12, isNamed: false },
  ]
  expect(statusLine(listened, 120, [], 'next 09:00')).toBe(
    'lobby · 2 here · @guide 34% · tools all (12) · qwen, gpt listen · next 09:00',
  )
  expect(statusLine(listened, 66, [], 'next 09:00')).toBe(
    'lobby · 2 here · @guide 34% · tools all (12) · 2 listen · …',
  )
  expect(statusLine(listened, 40, news, 'next 09:00')).toBe('lobby · den 12, ops 3! (Alt-A) · …')
  expect(statusLine({ ...listened, listeners: ['qwen'] }, 80)).toMatch(/ · qwen listens$/)
})

const thinking = { ...status, running: [work('@qwen', 'thinking')] }
test.each([
  [119, '@qwen thinking 3.2s · ^X to stop · lobby · 2 here · @guide 34% · tools all (12)'],
  [79, '@qwen thinking 3.2s · ^X to stop · lobby · 2 here · @guide 34% · tools all (12)'],
  [70, '@qwen thinking 3.2s · ^X to stop · lobby · 2 here · @guide 34% · …'],
  [60, '@qwen thinking 3.2s · ^X to stop · lobby · 2 here · …'],
  [39, '@qwen thinking 3.2s · ^X to stop · …'],
  [36, '@qwen thinking 3.2s · ^X to stop · …'],
  [35, '@qwen thinking 3.2s · ^X to stop…'],
  [31, '@qwen · ^X to stop · …'],
  [20, '@qwen · ^X to stop…'],
  [14, '^X to stop · …'],
  [8, '@qwen t…'],
  [1, '…'],
])('the status line at %i columns leaves out whole parts from the right', (columns, line) =>
  expect(statusLine(thinking, columns)).toBe(line),
)

test('the status line fills exactly one row of any width in every theme, despite hostile names', () => {
  const hostile = { ...busy, room: '日本語\n\u001b[2J', models: ['モデル', '\u202e'] }
  for (const theme of Object.values(THEMES))
    for (let columns = 1; columns < 120; columns++) {
      const line = statusRow(hostile, { columns, theme }).replaceAll(/\u001b\[[\d;]*m/g, '')
      expect(stringWidth(line)).toBe(columns)
      expect(line).not.toMatch(/\p{Cc}|\u202e/u)
    }
})

test('a question in the status line is highlighted if there is room for it', () => {
  const { dark } = THEMES
  expect(statusRow(busy, { columns: 60, theme: dark })).toContain(dark.waiting('question 1: /allow 1'))
  expect(statusRow(busy, { columns: 12, theme: dark })).toBe(dark.waiting('/allow 1') + dark.status(' · …'))
  expect(statusRow(busy, { columns: 6, theme: dark })).toBe(dark.status('quest…'))
})

test('the status line shows the window use only of the model that was asked last', () => {
  const line = statusLine({ ...status, models: ['qwen', 'gpt'], lastTurn: { model: 'gpt', percent: 7 } }, 200)
  expect(line).toContain('@qwen @gpt 7% · tools')
})

const news = [
  { room: 'ops' as RoomName, count: 1, isNamed: true },
  { room: 'den' as RoomName, count: 100, isNamed: false },
]

test.each([
  [200, 'lobby · den 99+, ops 1! (Alt-A) · 2 here · @guide 34% · tools all (12)'],
  [40, 'lobby · den 99+, ops 1! (Alt-A) · …'],
  [30, 'lobby · den 99+, ops 1! · …'],
  [20, 'lobby · ops 1! · …'],
])('the status line at %i columns shows news of other rooms before people and models', (columns, line) =>
  expect(statusLine(status, columns, news)).toBe(line),
)

test.each([
  [80, '@qwen thinking 3.2s · ^X to stop · lobby · den 99+, ops 1! (Alt-A) · 2 here · …'],
  [40, '@qwen · ^X to stop · … · ops 1!, 1 more'],
  [20, '^X to stop… · ops 1!'],
  [12, '^X to stop…'],
])('the status line at %i columns shortens running work before news', (columns, line) =>
  expect(statusLine(thinking, columns, news)).toBe(line),
)

test('a private message of one row is cut to the width', () => {
  const message = { head: '[ops] bob', text: 'x'.repeat(80), from: { name: 'bob', guest: false }, at: 0 }
  const drawn = renderMessage({ ...message, isOneRow: true }, { columns: 40, theme: THEMES.mono })
  expect(drawn).not.toContain('\n')
  expect(drawn).toMatch(/x…$/)
})
