import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EMPTY_EDITOR, press } from '../../../src/session/line-editor.ts'
import type { EditorEvent, LineEditor } from '../../../src/session/line-editor.ts'
import type { Key, KeyName } from '../../../src/session/keys.ts'

const most = 1000

/** Presses keys one after the other: `<name>` for a key, anything else as typed text. */
function pressAll(
  keys: string,
  editor: LineEditor = EMPTY_EDITOR,
): { editor: LineEditor; events: EditorEvent[] } {
  const events: EditorEvent[] = []
  for (const part of keys.match(/<[a-z-]+>|[^<]+/g) ?? []) {
    const key: Key = part.startsWith('<')
      ? { type: 'press', name: part.slice(1, -1) as KeyName }
      : { type: 'text', text: part }
    const step = press(editor, key, most)
    editor = step.editor
    if (step.event) events.push(step.event)
  }
  return { editor, events }
}

/** The draft with `|` for the cursor. */
const shown = (keys: string): string => {
  const { text, cursor } = pressAll(keys).editor.draft
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

test.each([
  ['abc<left><left>X', 'aX|bc'],
  ['abc<home>X<end>Y', 'Xabc|Y'.replace('|Y', 'Y|')],
  ['one two<kill-word>', 'one |'],
  ['one two  <word-left>X', 'one X|two  '],
  ['one two<home><word-right>X', 'oneX| two'],
  ['one two<word-left><kill-right>', 'one |'],
  ['one two<word-left><kill-left>', '|two'],
  ['ab<backspace><backspace><backspace>', '|'],
  ['ab<home><delete>', '|b'],
  ['ab<interrupt>c', 'c|'],
  ['a<newline>b<home>X', 'a\nX|b'],
  ['a<newline>b<up>', 'a\nb|'],
  ['one two<home><kill-word-right>', '| two'],
])('%s leaves %j', (keys, expected) => {
  expect(shown(keys)).toBe(expected)
})

test('backspace takes back what a person calls a character', () => {
  for (const character of ['é', '👩‍👩‍👧', '🇩🇪', 'e\u0301', '한'])
    expect(pressAll(`a${character}<backspace>`).editor.draft.text).toBe('a')
})

test('Enter sends the whole draft, line breaks included, and empties it', () => {
  const { editor, events } = pressAll('a<newline>b<enter>')
  expect(events).toEqual([{ type: 'send', line: 'a\nb' }])
  expect(editor.draft).toEqual({ text: '', cursor: 0 })
})

test('Enter on a blank draft sends nothing', () => {
  expect(pressAll('<enter>  <enter>').events).toEqual([])
})

test('^D leaves on an empty line and deletes to the right elsewhere', () => {
  expect(pressAll('<eof>').events).toEqual([{ type: 'leave' }])
  expect(pressAll('ab<home><eof>')).toMatchObject({ events: [], editor: { draft: { text: 'b' } } })
})

test('up and down go through what was sent and come back to the draft', () => {
  const sent = 'one<enter>two<enter>two<enter>new'
  expect(shown(`${sent}<up>`)).toBe('two|')
  expect(shown(`${sent}<up><up>`)).toBe('one|')
  expect(shown(`${sent}<up><up><up>`)).toBe('one|')
  expect(shown(`${sent}<up><up><down><down>`)).toBe('new|')
  expect(shown(`${sent}<up><down><down>`)).toBe('new|')
})

test('what does not fit into a draft is left out, and said', () => {
  const step = press(EMPTY_EDITOR, { type: 'paste', text: '😀'.repeat(most) }, most - 1)
  expect(step.event).toEqual({ type: 'full' })
  expect(step.editor.draft.text).toBe('😀'.repeat(most / 2 - 1))
})

test('killing words and moving over them takes linear time in a long draft', () => {
  const text = 'word '.repeat(200_000)
  const step = press(EMPTY_EDITOR, { type: 'paste', text }, text.length)
  expect(press(step.editor, { type: 'press', name: 'kill-word' }, text.length).editor.draft.text.length).toBe(
    text.length - 5,
  )
})

test('a word ends where a blank of any script is, as trimming knows them', () => {
  const spaces = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
    (unit) => unit.trim() === '',
  )
  expect(spaces.length).toBeGreaterThan(20)
  for (const space of spaces) {
    const draft = { text: `one${space}two`, cursor: 7 }
    const step = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name: 'word-left' }, 100)
    expect([space.charCodeAt(0), step.editor.draft.cursor]).toEqual([space.charCodeAt(0), 4])
  }
  const draft = { text: 'naïve\u200bcafé\u4e00!', cursor: 0 }
  const step = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name: 'word-right' }, 100)
  expect(step.editor.draft.cursor).toBe(draft.text.length)
})

test('the lines that are remembered have a size together, and the newest is always among them', () => {
  const enter = { type: 'press', name: 'enter' } as const
  let editor = EMPTY_EDITOR
  for (let i = 0; i < 20; i++) {
    const typed = press(editor, { type: 'paste', text: `${i} ${'x'.repeat(60_000)}` }, 200_000)
    editor = press(typed.editor, enter, 200_000).editor
  }
  expect(editor.sent.map((line) => line.split(' ')[0])).toEqual(['18', '19'])
  const huge = press(editor, { type: 'paste', text: 'y'.repeat(150_000) }, 200_000)
  editor = press(huge.editor, enter, 200_000).editor
  expect(editor.sent.map(({ length }) => length)).toEqual([150_000])
  for (let i = 0; i < 300; i++)
    editor = press(press(editor, { type: 'text', text: `${i}` }, 100).editor, enter, 100).editor
  expect([editor.sent.length, editor.sent[0], editor.sent.at(-1)]).toEqual([200, '100', '299'])
})

const keyNames: readonly KeyName[] = [
  'enter', 'newline', 'tab', 'backspace', 'delete', 'left', 'right', 'up', 'down', 'home', 'end', 'word-left',
  'word-right', 'kill-right', 'kill-left', 'kill-word', 'kill-word-right', 'redraw', 'interrupt', 'eof', 'stop',
] // prettier-ignore

const anyKey: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(...keyNames).map((name): Key => ({ type: 'press', name })),
  fc.string({ unit: 'grapheme' }).map((text): Key => ({ type: 'text', text })),
  fc
    .constantFrom('😀', '👩‍👩‍👧', 'e\u0301', '\n', ' ', '🇩', '\u200d')
    .map((text): Key => ({ type: 'paste', text })),
)

test('whatever is pressed, the cursor is within the text and never splits a code point', () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (keys, limit) => {
      let editor = EMPTY_EDITOR
      for (const key of keys) {
        editor = press(editor, key, limit).editor
        const { text, cursor } = editor.draft
        expect(cursor).toBeGreaterThanOrEqual(0)
        expect(cursor).toBeLessThanOrEqual(text.length)
        expect(text.length).toBeLessThanOrEqual(limit)
        expect(text.isWellFormed()).toBe(true)
        expect(text.slice(0, cursor).isWellFormed()).toBe(true)
      }
    }),
    { numRuns: 1000 },
  )
})
