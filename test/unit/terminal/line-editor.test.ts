import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type EditorEvent,
  EMPTY_EDITOR,
  type LineEditor,
  press,
  shownDraft,
  withHistory,
} from '../../../src/terminal/input/line-editor.ts'
import type { Key, KeyName } from '../../../src/terminal/input/keys.ts'
import { runs } from '../../support/runs.ts'
import { completeDraft } from '../../../src/terminal/input/keyboard.ts'
import { draftOf } from '../../../src/terminal/input/edit-commands.ts'

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
])('the keys %s leave the draft %j', (keys, expected) => {
  expect(shown(keys)).toBe(expected)
})

test('backspace deletes a whole grapheme cluster', () => {
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

test('^D ends the session on an empty line and deletes the next character otherwise', () => {
  expect(pressAll('<eof>').events).toEqual([{ type: 'leave' }])
  expect(pressAll('ab<home><eof>')).toMatchObject({ events: [], editor: { draft: { text: 'b' } } })
})

test('the arrow keys move through sent lines and back to the draft', () => {
  const sent = 'one<enter>two<enter>two<enter>new'
  expect(shown(`${sent}<up>`)).toBe('two|')
  expect(shown(`${sent}<up><up>`)).toBe('one|')
  expect(shown(`${sent}<up><up><up>`)).toBe('one|')
  expect(shown(`${sent}<up><up><down><down>`)).toBe('new|')
  expect(shown(`${sent}<up><down><down>`)).toBe('new|')
})

test('a paste over the draft limit is cut and reported', () => {
  const step = press(EMPTY_EDITOR, { type: 'paste', text: '😀'.repeat(most) }, most - 1)
  expect(step.event).toEqual({ type: 'full' })
  expect(step.editor.draft.text).toBe('😀'.repeat(most / 2 - 1))
})

test('^W deletes the last word of a draft of a million characters', () => {
  const text = 'word '.repeat(200_000)
  const step = press(EMPTY_EDITOR, { type: 'paste', text }, text.length)
  expect(press(step.editor, { type: 'press', name: 'kill-word' }, text.length).editor.draft.text.length).toBe(
    text.length - 5,
  )
})

test('^W and word-left stop at every character that trim() treats as whitespace', () => {
  const spaces = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
    (unit) => unit.trim() === '',
  )
  expect(spaces.length).toBeGreaterThan(20)
  for (const space of spaces) {
    const draft = { text: `one${space}two`, cursor: 7 }
    const word = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name: 'word-left' }, 100)
    expect([space.charCodeAt(0), word.editor.draft.cursor]).toEqual([space.charCodeAt(0), 4])
    const step = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name: 'kill-word' }, 100)
    expect([space.charCodeAt(0), step.editor.draft.text]).toEqual([space.charCodeAt(0), `one${space}`])
  }
  const draft = { text: 'naïve\u200bcafé\u4e00!', cursor: 12 }
  const step = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name: 'kill-word' }, 100)
  expect(step.editor.draft.text).toBe('')
})

test('Meta-f stops after every word of any script, and Meta-b before it', () => {
  const text = 'naïve, ça_va 日本語 e\u0301x2 👩‍👩‍👧 ＡＢ'
  const stops = (name: 'word-left' | 'word-right', cursor: number): readonly number[] => {
    const all: number[] = []
    let draft = { text, cursor }
    for (let i = 0; i < 20; i++) {
      draft = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name }, 100).editor.draft
      if (all.at(-1) !== draft.cursor) all.push(draft.cursor)
    }
    return all
  }
  const cutAt = (at: readonly number[]) => at.map((end) => text.slice(0, end).match(/[^ ,]*[ ,]*$/u)?.[0])
  expect(cutAt(stops('word-right', 0))).toEqual([
    'naïve', 'ça', 'ça_va', '日本語', 'e\u0301x2', 'ＡＢ',
  ]) // prettier-ignore
  expect(stops('word-left', text.length).map((at) => text.slice(at).split(/[ ,_]/)[0])).toEqual([
    'ＡＢ', 'e\u0301x2', '日本語', 'va', 'ça', 'naïve',
  ]) // prettier-ignore
})

test.each([
  ['^Y inserts the text that was cut', 'one two<kill-word>X<yank>', 'one Xtwo|'],
  ['^Y inserts consecutive cuts as one', 'a b c<kill-word><kill-word><yank>', 'a b c|'],
  [
    '^Y inserts consecutive cuts to the right as one',
    'one two three<home><kill-word-right><kill-word-right><end>!<yank>',
    ' three!one two|',
  ],
  [
    '^Y inserts only the last cut if the cursor moved between two',
    'one two<kill-word><home><kill-right><yank>',
    'one |',
  ],
  [
    'Meta-y replaces the inserted cut with the one before',
    'one two<kill-word><home><kill-right><yank><yank-pop>',
    'two|',
  ],
  [
    'Meta-y returns to the newest cut after the oldest',
    'one two<kill-word><home><kill-right><yank><yank-pop><yank-pop>',
    'one |',
  ],
  ['Meta-y does nothing without a preceding ^Y', 'one two<kill-word><yank-pop>', 'one |'],
  ['Meta-Backspace stops at punctuation', 'a/b.c<kill-word-left>', 'a/b.|'],
  ['^Y inserts the text that ^K and ^U cut', 'one two<word-left><kill-right><kill-left><yank>', 'one two|'],
  ['^Y inserts a cut after its line was sent', 'one two<kill-word><enter><yank>', 'two|'],
  ['undo removes typed text word by word', 'one <clear>two<undo>', 'one |'],
  ['undo stops at the empty draft', 'one two<undo><undo><undo><undo>', '|'],
  ['undo restores text that was cut', 'one two<kill-left><undo>', 'one two|'],
  ['undo restores a draft that ^C cleared', 'one two<interrupt><undo>', 'one two|'],
  ['undo removes text that ^Y inserted', 'one two<kill-word><yank><undo>', 'one |'],
  ['^T swaps the characters around the cursor', 'abcd<left><left><transpose>', 'acb|d'],
  ['^T at the end swaps the last two characters', 'abc<transpose>', 'acb|'],
  ['^T changes nothing in a draft of one character', 'a<transpose><home><transpose>', '|a'],
  ['^T does not swap characters across lines', 'a<newline>b<left><transpose>', 'a\n|b'],
  ['^T swaps whole grapheme clusters', 'a👩‍👩‍👧<transpose>', '👩‍👩‍👧a|'],
  [
    'Meta-t swaps the words around the cursor',
    'one, two three<home><word-right><transpose-words>',
    'two, one| three',
  ],
  ['Meta-t at the end swaps the last two words', 'one, two three<transpose-words>', 'one, three two|'],
  ['Meta-t changes nothing in a draft of one word', 'one<transpose-words>', 'one|'],
  ['Meta-u changes a word to upper case', 'straße ok<home><upper-word>', 'STRASSE| ok'],
  ['Meta-l changes a word to lower case', 'ONE TWO<home><lower-word>', 'one| TWO'],
  ['Meta-c capitalizes the first letter of a word', '  "oNE" x<home><capital-word>', '  "One|" x'],
])('%s: %s', (_, keys, expected) => {
  expect(shown(keys)).toBe(expected)
})

test('a word that would exceed the draft limit in upper case stays unchanged', () => {
  const draft = { text: 'ßß', cursor: 0 }
  const { editor } = press({ ...EMPTY_EDITOR, draft }, { type: 'press', name: 'upper-word' }, 3)
  expect(editor.draft).toEqual({ text: 'ßß', cursor: 2 })
})

/** What is drawn, with what stands before it. */
const searched = (keys: string): string => {
  const { text, prompt = '> ' } = shownDraft(pressAll(keys).editor)
  return prompt + text
}

const sent = 'make build<enter>say hello<enter>make test<enter>'

test.each([
  ['', 'search "": '],
  ['ma', 'search "ma": make test'],
  ['make b', 'search "make b": make build'],
  ['make<search>', 'search "make": make build'],
  ['make<search><search>', 'no other line has "make": make build'],
  ['make<search><search-newer>', 'search "make": make test'],
  ['ma<clear>b', 'no line has "mab": make test'],
  ['mab<backspace>', 'search "ma": make test'],
  ['<backspace>', 'search "": '],
  ['hel<end>!', '> say hello!'],
  ['hel<up>', '> make build'],
  ['hel<cancel>', '> '],
  ['hel<interrupt>', '> '],
  ['hel<enter>', '> '],
])('^R followed by %s shows %s', (keys, expected) => {
  expect(searched(`${sent}<search>${keys}`)).toBe(expected)
})

test('Enter sends the line that ^R found, and ^G restores the draft', () => {
  expect(pressAll(`${sent}<search>hel<enter>`).events.at(-1)).toEqual({ type: 'send', line: 'say hello' })
  expect(searched(`${sent}half a<search>hel<cancel>`)).toBe('> half a')
  expect(searched(`${sent}half a<search>hel<end><down><down>`)).toBe('> half a')
})

test('^C during ^R clears the draft, and undo restores it', () => {
  expect(searched(`${sent}half a<search>hel<interrupt>`)).toBe('> ')
  expect(pressAll(`${sent}half a<search>hel<interrupt><eof>`).events.at(-1)).toEqual({ type: 'leave' })
  expect(searched(`${sent}half a<search>hel<interrupt><undo>`)).toBe('> half a')
})

test('^R stays fast in a full history, and its query is cut at the draft limit', () => {
  const lines = Array.from({ length: 200 }, () => 'a'.repeat(650))
  let { editor } = press(withHistory(EMPTY_EDITOR, lines), { type: 'press', name: 'search' }, 100)
  const begin = performance.now()
  for (let i = 0; i < 500; i++) {
    editor = press(editor, { type: 'text', text: 'ab' }, 100).editor
    editor = press(editor, { type: 'press', name: 'backspace' }, 100).editor
  }
  expect(performance.now() - begin).toBeLessThan(2_500)
  for (let i = 0; i < 100; i++) editor = press(editor, { type: 'text', text: 'ab' }, 100).editor
  expect(editor.search?.query).toHaveLength(100)
})

test('^C on an empty line asks how to leave', () => {
  expect(pressAll('<interrupt>a<interrupt><interrupt>').events).toEqual([
    { type: 'how-to-leave' },
    { type: 'how-to-leave' },
  ])
})

test('history that is loaded late comes before lines sent meanwhile, and the shown line stays', () => {
  const begun = pressAll('now<enter>next<up>').editor
  const editor = withHistory(begun, ['then'])
  expect(editor.draft.text).toBe('now')
  expect(pressAll('<up>', editor).editor.draft.text).toBe('then')
  expect(pressAll('<down>', editor).editor.draft.text).toBe('next')
  expect(pressAll('<up><up>', withHistory(EMPTY_EDITOR, ['a', 'b'])).editor.draft.text).toBe('a')
})

test('cut texts and undo steps are limited in size and number', () => {
  let editor = EMPTY_EDITOR
  const go = (key: Key) => (editor = press(editor, key, 65_536).editor)
  for (let i = 0; i < 60; i++) {
    go({ type: 'paste', text: `${i} ${'x'.repeat(40_000)}` })
    go({ type: 'press', name: 'kill-left' })
    go({ type: 'press', name: 'left' })
  }
  const units = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)
  expect(units(editor.kills)).toBeLessThanOrEqual(65_536)
  expect(editor.kills.at(-1)).toMatch(/^59 x/)
  expect(units(editor.undo.map(({ text }) => text))).toBeLessThanOrEqual(131_072)
  for (let i = 0; i < 1_000; i++) go({ type: 'text', text: 'w ' })
  expect(editor.undo.length).toBeLessThanOrEqual(100)
  for (let i = 0; i < 100; i++) {
    go({ type: 'press', name: 'kill-word' })
    go({ type: 'press', name: 'left' })
  }
  expect(editor.kills.length).toBeLessThanOrEqual(16)
})

test('remembered lines are limited in size and number, but the newest is always kept', () => {
  const enter = { type: 'press', name: 'enter' } as const
  let editor = EMPTY_EDITOR
  for (let i = 0; i < 20; i++) {
    const typed = press(editor, { type: 'paste', text: `${i} ${'x'.repeat(60_000)}` }, 200_000)
    editor = press(typed.editor, enter, 200_000).editor
  }
  expect(editor.past.map((line) => line.split(' ')[0])).toEqual(['18', '19'])
  const huge = press(editor, { type: 'paste', text: 'y'.repeat(150_000) }, 200_000)
  editor = press(huge.editor, enter, 200_000).editor
  expect(editor.past.map(({ length }) => length)).toEqual([150_000])
  for (let i = 0; i < 300; i++)
    editor = press(press(editor, { type: 'text', text: `${i}` }, 100).editor, enter, 100).editor
  expect([editor.past.length, editor.past[0], editor.past.at(-1)]).toEqual([200, '100', '299'])
})

const keyNames: readonly KeyName[] = [
  'enter', 'newline', 'tab', 'backspace', 'delete', 'left', 'right', 'up', 'down', 'home', 'end', 'word-left',
  'word-right', 'kill-right', 'kill-left', 'kill-word', 'kill-word-left', 'kill-word-right', 'clear', 'interrupt',
  'eof', 'stop', 'yank', 'yank-pop', 'undo', 'search', 'search-newer', 'cancel', 'transpose', 'transpose-words',
  'upper-word', 'lower-word', 'capital-word',
] // prettier-ignore

const anyKey: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(...keyNames).map((name): Key => ({ type: 'press', name })),
  fc.string({ unit: 'grapheme' }).map((text): Key => ({ type: 'text', text })),
  fc
    .constantFrom('😀', '👩‍👩‍👧', 'e\u0301', '\n', ' ', '🇩', '\u200d')
    .map((text): Key => ({ type: 'paste', text })),
)

test('no sequence of keys moves the cursor out of the text or splits a code point', () => {
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
    { numRuns: runs(1000) },
  )
})

test('a history line that was edited is recalled with the edit', () => {
  expect(shown('one<enter>two<enter><up>X<up><down>')).toBe('twoX|')
  expect(shown('one<enter>two<enter><up>X<up>Y<down><down><up><up>')).toBe('oneY|')
})

test('an edit of a history line does not change the draft', () => {
  expect(shown('one<enter>draft<up>X<down>')).toBe('draft|')
})

test('a history line that is edited and sent stays unchanged in the history', () => {
  expect(shown('one<enter><up>X<enter><up><up>')).toBe('one|')
})

test('the up key after ^C on a history line starts at the newest line', () => {
  for (const before of ['<up><up>', '<up><up><up>', 'half<up><up>', '<search>o<search>'])
    expect(shown(`one<enter>two<enter>three<enter>${before}<interrupt><up>`), before).toBe('three|')
})

const complete = async (text: string, choices: readonly string[]) => {
  const { draft, choices: shown } = await completeDraft(draftOf(text), () => Promise.resolve(choices), 100)
  return [draft.text, shown]
}

test.each([
  ['Tab inserts the only choice with a space', 'hi @gu', ['@guide'], 'hi @guide ', []],
  ['Tab completes several choices up to their common prefix', '/h', ['/help', '/hello'], '/hel', []],
  [
    'Tab lists the choices if their common prefix is typed',
    '/hel',
    ['/help', '/hello'],
    '/hel',
    ['/help', '/hello'],
  ],
  ['Tab changes nothing if there is no choice', 'xyz', [], 'xyz', []],
  ['Tab uses the spelling of the choice', '@GU', ['@guide'], '@guide ', []],
  ['Tab inserts the only choice for an empty word', '/join ', ['lobby'], '/join lobby ', []],
  ['Tab only lists choices that do not begin with the word', 'abc', ['x', 'y'], 'abc', ['x', 'y']],
])('%s', async (_label, text, choices, expected, shown) => {
  expect(await complete(text, choices)).toEqual([expected, shown])
})

test('completion gets the text and the word before the cursor', async () => {
  const asked: string[] = []
  const draft = { text: 'hi @gu you', cursor: 6 }
  await completeDraft(draft, async (...given) => (asked.push(...given), []), 100)
  expect(asked).toEqual(['hi @gu', '@gu'])
})

test('completion keeps the text after the cursor', async () => {
  const draft = { text: '/he rest', cursor: 3 }
  const done = await completeDraft(draft, () => Promise.resolve(['/help']), 100)
  expect(done.draft).toEqual({ text: '/help  rest', cursor: 6 })
})
