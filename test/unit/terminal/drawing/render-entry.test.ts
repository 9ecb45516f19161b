import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test, describe } from 'vitest'
import type { Entry, EntryId, RoomName, TurnId } from '../../../../src/words/entry.ts'
import { drawnText } from '../../../../src/terminal/drawing/drawn-text.ts'
import {
  renderEntry as render,
  renderHeading,
  renderMessage,
  renderText,
  createDrawEntry,
} from '../../../../src/terminal/drawing/entry-rows.ts'
import { chooseTheme, type DrawingStyle, createNameColours } from '../../../../src/terminal/drawing/theme.ts'
import { zoneOf } from '../../../../src/base/zone.ts'
import { timeColumn, dayLine, dayOf } from '../../../../src/terminal/drawing/time-column.ts'
import { markdown } from '../../../support/markdown-tools.ts'
import { runs } from '../../../support/runs.ts'
import { NAME_COLOURS, type NameColour } from '../../../../src/chat/personal/options.ts'
import { usualColour } from '../../../../src/chat/personal/name-styles.ts'

const renderEntry = (entry: Entry, style: DrawingStyle): string => render(entry, style, markdown.tools())

const base = { id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'bob', text: 'hi' }
const call = { call: 'c1', name: 'Grep', requester: 'bob', arguments: { arguments: ['-rn', 'TODO', '.'] } }
const result = { call: 'c1', name: 'Grep', isError: false, durationMs: 12, bytes: 1229 }
const approval = { tool: 'run_command', requester: 'bob', verdict: 'asked' } as const

const entries: readonly Entry[] = [
  { ...base, kind: 'message' },
  { ...base, kind: 'message', edits: '0' as EntryId, text: 'hello' },
  { ...base, kind: 'message', edited: '2' as EntryId, text: 'hello' },
  { ...base, kind: 'action', text: 'waves' },
  { ...base, kind: 'action', text: '👍', reacts: '0' as EntryId, to: 'ann' },
  { ...base, kind: 'presence', event: 'joined', text: 'bob joined' },
  { ...base, kind: 'notice', level: 'info', text: 'topic: tea' },
  { ...base, kind: 'reply', turn: 't' as TurnId, outcome: 'done' },
  { ...base, ...call, kind: 'tool_call', text: '' },
  { ...base, ...result, kind: 'tool_result', text: 'src/a.ts:1: TODO' },
  { ...base, kind: 'scope', scope: 'none', text: 'tools off' },
  { ...base, ...approval, kind: 'approval', text: 'rm -rf build?' },
]

const colour = chooseTheme('xterm-256color', {})
// oxlint-disable-next-line no-control-regex -- what is looked for is exactly these
const withoutSgr = (text: string): string => text.replaceAll(/\u001b\[[\d;]*m/g, '')

test('every kind of entry is drawn in its own form', () => {
  const look = entries.map((entry) => withoutSgr(renderEntry(entry, { columns: 79, theme: colour })))
  expect(look).toEqual([
    'bob: hi',
    'bob (edited): hello',
    'bob (edited): hello',
    '* bob waves',
    '* bob reacted 👍 to ann',
    '-- bob joined',
    '-- topic: tea',
    'bob: hi',
    '-- bob: Executing tool: Grep {"arguments":["-rn","TODO","."]}',
    '-- Grep: src/a.ts:1: TODO (12ms, 1.2 KiB)',
    '-- bob: tools off',
    '-- bob: rm -rf build?',
  ])
})

test('a name is drawn in the same colour each time, and in bold on a terminal without colour', () => {
  const [message] = entries
  const page = { columns: 79, theme: colour }
  expect(renderEntry(message!, page)).toBe(renderEntry({ ...message!, id: '2' as EntryId }, page))
  expect(renderEntry(message!, page)).toMatch(/^\u001b\[1;38;5;\d+mbob:/)
  for (const theme of [chooseTheme('vt100', {}), chooseTheme('xterm', { SSHAWL_THEME: 'mono' })])
    expect(renderEntry(message!, { columns: 79, theme })).toBe('\u001b[1mbob:\u001b[0m hi')
})

const textRows = (text: string, columns = 40) =>
  withoutSgr(renderEntry({ ...base, kind: 'message', text }, { columns, theme: colour })).split('\n')

test('fenced code in the message of a person is drawn as in a reply', () => {
  const code = '```ts\nif (a) {\n  *b*()\n}\n```'
  expect(textRows(`look:\n${code}\nis it *right*?\n${code}`)).toEqual([
    'bob: look:',
    ...['    if (a) {', '      *b*()', '    }'],
    '  is it *right*?',
    ...['    if (a) {', '      *b*()', '    }'],
  ])
  expect(textRows(code)).toEqual(['bob:', '    if (a) {', '      *b*()', '    }'])
  const painted = renderEntry({ ...base, kind: 'message', text: code }, { columns: 40, theme: colour })
  expect(painted).toContain(colour.heading('if'))
})

test('fenced code of a model is at the left edge between two lines, even in lists or beside times', () => {
  const text = 'so:\n\n1. run\n\n   ```sh\n   cat <<EOF > x\n     ── end\n   EOF\n   ```\n'
  const entry: Entry = { ...base, kind: 'reply', author: 'qwen', turn: 't' as TurnId, text }
  const times = timeColumn('minutes', zoneOf('UTC'), 79)
  const rows = (columns: number): string[] =>
    withoutSgr(renderEntry(entry, { columns, theme: colour, times })).split('\n')
  const code = ['cat <<EOF > x', '    ── end', 'EOF', '── end']
  expect(rows(79)).toEqual(['00:00 qwen: so:', '', '        1. run', '', '── code, 3 lines', ...code])
  const long = { ...entry, text: `\`\`\`\n${'word '.repeat(4)}\n\`\`\`` } as Entry
  expect(withoutSgr(renderEntry(long, { columns: 14, theme: colour })).split('\n')).toEqual([
    ...['qwen:', '── code, 1', '  line', 'word word word', '↪ word', '── end'],
  ])
})

test('an unclosed code fence is drawn as code to the end', () => {
  expect(textRows('```\na\n\nb')).toEqual(['bob:', '    a', '', '    b'])
  expect(textRows('say ```a``` and\n```b``` too')).toEqual(['bob: say ```a``` and', '  ```b``` too'])
})

test.each([
  ['', 'ok'],
  ['\n \n', 'ok'],
  ['\n  first\nsecond', 'first …'],
  [`${'x'.repeat(199)}👩`, `${'x'.repeat(199)} …`],
])('the row of a tool result shows the first non-blank line of %j', (text, shown) => {
  const entry: Entry = { ...base, ...result, kind: 'tool_result', text }
  expect(withoutSgr(renderEntry(entry, { columns: 300, theme: colour }))).toBe(
    `-- Grep: ${shown} (12ms, 1.2 KiB)`,
  )
})

test('a reply ends with a dim line of its time, tokens and cost if its provider reports usage', () => {
  const reply = { ...base, kind: 'reply', turn: 't' as TurnId, outcome: 'done' } as const
  const usage = { input: 1234, cached: 1000, output: 56 }
  const look = (more: object) =>
    renderEntry({ ...reply, ...more }, { columns: 79, theme: colour }).split('\n')
  expect(look({ usage, durationMs: 3240, cost: '0.0123' })[1]).toBe(
    colour.dim('-- 3.2s · 1234 tokens in (1000 cached) · 56 out · cost 0.0123'),
  )
  expect(withoutSgr(look({ usage: { input: 1, output: 2 } }).at(-1) ?? '')).toBe('-- 1 tokens in · 2 out')
  expect(look({ durationMs: 3240 })).toHaveLength(1)
  expect(look({ usage, thread: 't' })).toHaveLength(1)
})

test('the row of a failed tool shows only the first line of the error', () => {
  const entry: Entry = {
    ...base,
    ...result,
    kind: 'tool_result',
    isError: true,
    text: 'ERROR: no such file\nmore',
  }
  expect(withoutSgr(renderEntry(entry, { columns: 79, theme: colour }))).toBe(
    '-- Grep: ERROR: no such file … (12ms, 1.2 KiB)',
  )
})

const hostile = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      ...'\u001b[2J|\u001b]0;x\u0007|\u009b31m|\r|\n|\t|\u202e|\u2028|\b|eve: hi|日本'.split('|'),
    ),
  ),
)

test('a hostile entry draws no control character, no row over the width and no fake speaker', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...entries),
      hostile,
      fc.integer({ min: 12, max: 80 }),
      fc.boolean(),
      (entry, parts, columns, isTimed) => {
        const text = parts.join('')
        const times = isTimed ? timeColumn('minutes', zoneOf('UTC'), columns) : undefined
        const style = { columns, theme: colour, times }
        const drawn = withoutSgr(renderEntry({ ...entry, text, author: 'bob' }, style))
        expect(drawn).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
        const rows = drawn.split('\n')
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns)
        for (const row of rows.slice(1)) expect(row === '' || row.startsWith('  ')).toBe(true)
      },
    ),
    { numRuns: runs(500) },
  )
})

const words = 'lorem ipsum dolor sit amet '.repeat(8).trim()

test('later rows of an entry are not indented by the time column below 60 columns', () => {
  const rowsAt = (columns: number) =>
    withoutSgr(
      renderEntry(
        { ...base, kind: 'message', text: words },
        { columns, theme: colour, times: timeColumn('minutes', zoneOf('UTC'), columns) },
      ),
    ).split('\n')
  expect(rowsAt(39).slice(0, 2)).toEqual([
    '00:00 bob: lorem ipsum dolor sit amet',
    '  lorem ipsum dolor sit amet lorem',
  ])
  expect(rowsAt(60)[1]).toMatch(/^ {8}\w/)
})

test('prose is wrapped at 100 cells, but a message of several lines keeps its own lines', () => {
  const wide = { columns: 199, theme: colour }
  const widest = (entry: Entry) =>
    Math.max(
      ...withoutSgr(renderEntry(entry, wide))
        .split('\n')
        .map((row) => stringWidth(row)),
    )
  const reply = { ...base, kind: 'reply', turn: 't' as TurnId, outcome: 'done' } as const
  for (const entry of [{ ...base, kind: 'message' } as const, reply]) {
    expect(widest({ ...entry, text: words })).toBeGreaterThan(90)
    expect(widest({ ...entry, text: words })).toBeLessThanOrEqual(100)
  }
  expect(widest({ ...base, kind: 'message', text: `${'x'.repeat(150)}\nx` })).toBe(155)
})

test.each([
  ['a table', 39, 'gap  note', '| gap | note |\n|-|-|\n| 1 | a long line of short words that breaks |'],
  ['a list', 30, 'gap: 1', '| gap | word |\n|-|-|\n| 1 | antidisestablishmentarianism |'],
  ['a table of Chinese', 39, 'gap  note', `| gap | note |\n|-|-|\n| 1 | ${'語'.repeat(40)} |`],
])('a Markdown table with a long cell is drawn as %s at %i columns', (_, columns, first, text) => {
  const reply = { ...base, kind: 'reply', turn: 't' as TurnId, outcome: 'done', text } as const
  expect(
    withoutSgr(renderEntry(reply, { columns, theme: colour }))
      .split('\n')[1]
      ?.trim(),
  ).toBe(first)
})

test('a private message has the style of a mention, or of own lines if the reader sent it', () => {
  const from = { name: 'bob', guest: false }
  const message = { head: 'bob -> you', text: 'psst, this is\nfor you', from, at: 0 }
  const style = { columns: 20, theme: colour }
  expect(renderMessage(message, style).split('\n')).toEqual([
    `${colour.mention('bob -> you:')} psst,`,
    '  this is',
    '  for you',
  ])
  const sent = renderMessage({ head: 'you -> bob', text: 'yes', from, at: 0, isOwn: true }, style)
  expect(sent).toBe(`${colour.own('you -> bob:')} yes`)
})

test('a question that waits for the reader has a bright edge and bold lines, others are grey', () => {
  const text = 'question 1: may bob?\n| rm -rf build\n/allow 1'
  const question: Entry = { ...base, ...approval, kind: 'approval', text }
  const style = { columns: 79, theme: colour }
  const bright = render(question, style, markdown.tools(), { emphasis: 'waiting' }).split('\n')
  const edge = `${colour.waiting(' ')} `
  expect(bright).toEqual([
    `${edge}${colour.heading('bob: question 1: may bob?')}`,
    `${edge}${colour.heading('| rm -rf build')}`,
    `${edge}${colour.heading('/allow 1')}`,
  ])
  const grey = renderEntry(question, style).split('\n')
  expect([grey[0], grey[2]]).toEqual([
    colour.system('-- bob: question 1: may bob?'),
    `  ${colour.system('/allow 1')}`,
  ])
})

test('the edge of a waiting question is in one column of a narrow window with times', () => {
  const question: Entry = { ...base, ...approval, kind: 'approval', text: `question 1: ${words}\n/allow 1` }
  const style = { columns: 40, theme: colour, times: timeColumn('minutes', zoneOf('UTC'), 40) }
  const rows = render(question, style, markdown.tools(), { emphasis: 'waiting' }).split('\n')
  expect(rows.length).toBeGreaterThan(2)
  for (const row of rows) expect(row.startsWith(`${colour.waiting(' ')} `)).toBe(true)
})

test('a one-row message still takes one row beside its time in a narrow window', () => {
  const style = { columns: 40, theme: colour, times: timeColumn('minutes', zoneOf('UTC'), 40) }
  const message = {
    head: '[ops] ann',
    text: words,
    from: { name: 'ann', guest: false },
    at: 0,
    isOneRow: true,
  } as const
  const rows = withoutSgr(renderMessage(message, style)).split('\n')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatch(/^00:00 \[ops\] ann: .*…$/)
})

test('no row of a waiting question is wider than a narrow window with times', () => {
  const question: Entry = { ...base, ...approval, kind: 'approval', text: `question 1: ${words}` }
  const style = { columns: 50, theme: colour, times: timeColumn('minutes', zoneOf('UTC'), 50) }
  const drawn = withoutSgr(render(question, style, markdown.tools(), { emphasis: 'waiting' }))
  expect(drawn).toContain('bob: question 1: lorem')
  for (const row of drawn.split('\n')) expect(stringWidth(row)).toBeLessThanOrEqual(50)
})

test('the heading of a room is a horizontal line with the topic, in ASCII if there are no colours', () => {
  const mono = chooseTheme('vt100', {})
  const rows = (heading: string, columns: number, theme = colour) =>
    withoutSgr(renderHeading(heading, { columns, theme })).split('\n')
  expect(rows('-- den: tea: green', 24)).toEqual(['── den · tea: green ────'])
  expect(rows('-- den', 12, mono)).toEqual(['-- den -----'])
  expect(rows('-- den: about tea', 12, mono)).toEqual(['-- den ·', '  about tea'])
})

test('the output of a command keeps its lines, and long ones continue indented', () => {
  expect(renderText('one\ntwo three four\n', { columns: 10, theme: colour })).toBe('one\ntwo three\n  four\n')
})

test('a text of more than 20 lines is folded, also for its author', () => {
  const style = { columns: 60, theme: chooseTheme('dumb', {}) }
  const text = (lines: number) => Array.from({ length: lines }, (_, index) => `step ${index}`).join('\n')
  const rows = (lines: number, emphasis?: 'own') =>
    render({ ...base, kind: 'message', text: text(lines) }, style, markdown.tools(), { emphasis }).split('\n')
  expect(rows(20)).toHaveLength(20)
  expect(rows(74, 'own')).toHaveLength(9)
  expect(rows(74)).toHaveLength(9)
  expect(rows(74).at(-1)).toContain('… 66 more lines: /history paste')
})

test('a past reply of more than 20 rows is folded', () => {
  const style = { columns: 60, theme: chooseTheme('dumb', {}) }
  const text = Array.from({ length: 74 }, (_, index) => `${index}. step`).join('\n')
  const rows = (isPast: boolean) =>
    render({ ...base, kind: 'reply', turn: 'T' as TurnId, text }, style, markdown.tools(), { isPast }).split(
      '\n',
    )
  expect(rows(false)).toHaveLength(75)
  expect(rows(true)).toHaveLength(9)
  expect(rows(true).at(-1)).toContain('… 67 more rows: /history')
})

describe('drawn text', () => {
  const colour = chooseTheme('xterm', {})
  const entry: Entry = {
    id: '1' as EntryId,
    at: 0,
    room: 'lobby' as RoomName,
    author: 'bob',
    kind: 'message',
    text: 'hello there',
  }

  test('an entry is drawn once for each width and theme', () => {
    const draw = createDrawEntry(markdown.tools, () => undefined)
    const first = draw(entry, { columns: 80, theme: colour })
    expect(draw(entry, { columns: 80, theme: chooseTheme('xterm-256color', {}) })).toBe(first)
    expect(draw(entry, { columns: 10, theme: colour })).toMatchObject({ rows: 2 })
    expect(draw(entry, { columns: 80, theme: chooseTheme('vt100', {}) }).text).toBe(
      '\u001b[1mbob:\u001b[0m hello there',
    )
  })

  test('the row count of a text is marked reliable only if every terminal wraps it alike', () => {
    const isSure = (text: string) => drawnText(text, 10).isSure
    expect(isSure('0123456789')).toBe(true)
    expect(isSure('\u001b[1;31m0123456789\u001b[0m')).toBe(true)
    expect(isSure('ok\nпривет')).toBe(false)
    expect(isSure('при 1234')).toBe(false)
    expect(isSure('日本 1234')).toBe(true)
    expect(drawnText('a\n\nb', 10)).toEqual({ text: 'a\r\n\r\nb', rows: 3, isSure: true })
  })
})

const [lobby, den] = ['lobby' as RoomName, 'den' as RoomName]
/** All of one colour, by their names alone. */
const alike = Array.from({ length: 500 }, (_, number) => `u${number}`)
  .filter((name) => usualColour(name) === 'green')
  .slice(0, 8)

test('people of one room get different colours while some are left, and keep them', () => {
  const colourOf = createNameColours(() => undefined)
  const of = (author: string, room = lobby) => colourOf({ room, author, kind: 'message' })
  expect(colourOf({ room: lobby, author: alike[0] ?? '', kind: 'reply' })).toBeUndefined()
  const first = alike.map((author) => of(author))
  expect(new Set(first.slice(0, NAME_COLOURS.length)).size).toBe(NAME_COLOURS.length)
  expect(first.slice(NAME_COLOURS.length)).toEqual(['green', 'green'])
  expect(alike.toReversed().map((author) => of(author))).toEqual(first.toReversed())
  expect(of(alike[3] ?? '', den)).toBe('green')
})

test('a chosen colour is used at once, and other people get different colours', () => {
  const chosen = new Map<string, NameColour>([['ann', 'green']])
  const colourOf = createNameColours((name) => chosen.get(name))
  expect(colourOf({ room: lobby, author: 'ann', kind: 'action' })).toBe('green')
  expect(colourOf({ room: lobby, author: alike[0] ?? '', kind: 'message' })).not.toBe('green')
  chosen.set('ann', 'pink')
  expect(colourOf({ room: lobby, author: 'ann', kind: 'action' })).toBe('pink')
})

const at = Date.UTC(2026, 10, 22, 23, 24, 5)

test('times are shown in the zone, with date and seconds only if set and if wide enough', () => {
  const berlin = zoneOf('Europe/Berlin')
  const texts = (['minutes', 'full'] as const).map((kind) => timeColumn(kind, berlin, 200)?.textAt(at))
  expect(texts).toEqual(['00:24 ', '2026-11-23 00:24:05 '])
  for (const kind of ['minutes', 'full'] as const) {
    const column = timeColumn(kind, berlin, 200)
    expect(column?.textAt(at)).toHaveLength(column?.cells ?? 0)
  }
  expect(timeColumn('full', berlin, 80)?.textAt(at)).toBe('00:24 ')
  expect(timeColumn('full', berlin, 29)).toBeUndefined()
})

test('a day begins at midnight of the zone, and its line names date and zone', () => {
  const zones = [zoneOf('UTC'), zoneOf('Europe/Berlin')]
  expect(zones.map((zone) => dayLine(dayOf(at, zone), zone))).toEqual([
    '-- Sunday 22 November 2026 (UTC)',
    '-- Monday 23 November 2026 (Europe/Berlin)',
  ])
})
