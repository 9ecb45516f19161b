import fc from 'fast-check'
import stringWidth from 'string-width'
import type { TurnId } from '../../src/words/entry.ts'
import type { Room } from '../../src/chat/room.ts'
import { cleanText } from '../../src/base/text/clean-text.ts'
import { graphemes } from '../../src/base/text/characters.ts'
import { createKeyDecoder } from '../../src/terminal/input/keys.ts'
import type { Draft } from '../../src/terminal/input/edit-commands.ts'
import { EMPTY_EDITOR, press, shownDraft } from '../../src/terminal/input/line-editor.ts'
import { allWords, markdownPiece, type Piece, wordsIn } from './numbered-markdown.ts'
import type { Emulator } from './terminal.ts'

/** Something that happens in a room, or at the terminal of somebody who is in it. */
export type Act =
  | { readonly type: 'keys'; readonly bytes: string }
  | { readonly type: 'says'; readonly text: string }
  /** One of two models writes on; both may write at once. */
  | { readonly type: 'writes'; readonly model: number; readonly piece: Piece }
  | { readonly type: 'ends'; readonly model: number }
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  /** So many ms pass, and what falls due is done. */
  | { readonly type: 'time'; readonly ms: number }
  /** It shows the draft of now. */
  | { readonly type: 'settles' }

/** None of these is a part of what the server says by itself, or of a reply. */
const TYPED = ['tree', 'houses ', ' ', '語彙', 'ключ ', 'Öl', '👍', 'a-rather-long-word ', '! ? ']
const IS_TYPED = /tree|houses|語彙|ключ|Öl|👍|rather/

const PRESSED = {
  enter: '\r',
  newline: '\u001b\r',
  backspace: '\u007f',
  left: '\u001b[D',
  right: '\u001b[C',
  up: '\u001b[A',
  down: '\u001b[B',
  home: '\u0001',
  end: '\u0005',
  wordLeft: '\u001bb',
  wordRight: '\u001bf',
  killLeft: '\u0015',
  killRight: '\u000b',
  killWord: '\u0017',
  yank: '\u0019',
  yankPop: '\u001by',
  undo: '\u001f',
  search: '\u0012',
  searchNewer: '\u0013',
  cancel: '\u0007',
  transpose: '\u0014',
  transposeWords: '\u001bt',
  upper: '\u001bu',
  interrupt: '\u0003',
  stop: '\u0018',
  nothing: '\u001b[24~',
}

const typed = fc.constantFrom(...TYPED)
const keys = fc.oneof(
  { weight: 6, arbitrary: fc.array(typed, { minLength: 1, maxLength: 3 }).map((words) => words.join('')) },
  { weight: 2, arbitrary: fc.constant(PRESSED.enter) },
  { weight: 8, arbitrary: fc.constantFrom(...Object.values(PRESSED)) },
  typed.map((text) => `\u001b[200~${text}\r\n${text}\u001b[201~`),
)

/** A window that is narrowed by a terminal has room for what it breaks of the status and the draft. */
export const windows = fc.record({
  columns: fc.integer({ min: 40, max: 120 }),
  rows: fc.integer({ min: 16, max: 30 }),
})

export const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: keys.map((bytes): Act => ({ type: 'keys', bytes })) },
    {
      weight: 4,
      arbitrary: fc
        .array(typed, { maxLength: 30 })
        .map((words): Act => ({ type: 'says', text: words.join('') })),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.nat(1), markdownPiece)
        .map(([model, piece]): Act => ({ type: 'writes', model, piece })),
    },
    { weight: 1, arbitrary: fc.nat(1).map((model): Act => ({ type: 'ends', model })) },
    { weight: 1, arbitrary: windows.map((size): Act => ({ type: 'resize', ...size })) },
    { weight: 5, arbitrary: fc.nat(120).map((ms): Act => ({ type: 'time', ms })) },
    { weight: 2, arbitrary: fc.constant<Act>({ type: 'settles' }) },
  ),
  { maxLength: 60 },
)

/** Longer drafts are not shown as a whole. */
const MAX_DRAFT_CELLS = 90
const MAX_DRAFT_LINES = 3

/** What is typed, and what the terminal may show of it: any draft since the one that it showed last. */
export function createTypist() {
  const decode = createKeyDecoder()
  let editor = EMPTY_EDITOR
  let drafts: Draft[] = [shownDraft(editor)]

  return {
    /** False, with nothing done, where the draft would be too long to be whole on any screen. */
    type(bytes: string): boolean {
      const before = editor
      const passed: Draft[] = []
      for (const key of decode(new TextEncoder().encode(bytes))) {
        editor = press(editor, key, 65_536).editor
        passed.push(shownDraft(editor))
      }
      const fits = passed.every(
        ({ text, prompt = '' }) =>
          stringWidth(prompt + text) <= MAX_DRAFT_CELLS && text.split('\n').length <= MAX_DRAFT_LINES,
      )
      if (!fits) editor = before
      else drafts.push(...passed)
      return fits
    },
    now: () => shownDraft(editor),
    /** Whether the screen shows a draft that there was; those before it are over. */
    mayShow(emulator: Emulator): boolean {
      const at = drafts.findIndex((draft) => isShown(draft, emulator))
      if (at > 0) drafts = drafts.slice(at)
      return at >= 0
    },
  }
}

const compact = (text: string): string => text.replaceAll(/\s/g, '')

const STATUS = /^lobby · \d+ here/

/** The whole draft stands below the status, to the last row, and the cursor is where it is in the draft. */
export function isShown({ text, cursor, prompt = '> ' }: Draft, emulator: Emulator): boolean {
  const rows = emulator.screen()
  const from = rows.findLastIndex((row) => STATUS.test(row)) + 1
  const at = emulator.cursor()
  const before = [...rows.slice(from, at.row), firstCells(rows[at.row] ?? '', at.column)]
  return (
    compact(rows.slice(from).join('')) === compact(prompt + text) &&
    compact(before.join('')) === compact(prompt + text.slice(0, cursor))
  )
}

function firstCells(row: string, cells: number): string {
  let shown = ''
  for (const character of graphemes(row)) {
    if (stringWidth(shown + character) > cells) break
    shown += character
  }
  return shown
}

/** The numbers of the words of each reply begin here. */
const WORDS_APART = 100_000

/** What was said in a room, to be found on a screen. */
export function createSaid(room: Room) {
  const said: { readonly author: string; readonly text: string }[] = []
  const replies: { words: number; readonly first: number; readonly turn: TurnId }[] = []
  const open = new Map<number, { readonly reply: (typeof replies)[number]; text: string }>()
  let count = 0
  room.listen({
    deliver(entry) {
      if (entry.kind === 'message') said.push({ author: entry.author, text: entry.text })
    },
  })

  function begun(model: number) {
    const reply = { words: 0, first: replies.length * WORDS_APART, turn: `t${replies.length}` as TurnId }
    const writing = open.get(model) ?? { reply, text: '' }
    if (writing.reply === reply) replies.push(reply)
    open.set(model, writing)
    return writing
  }

  return {
    say: (text: string) => room.record({ kind: 'message', author: 'bob', text: `<${count++}> ${text}` }),
    write(model: number, { text, words }: Piece): void {
      const writing = begun(model)
      const { reply } = writing
      const piece = cleanText(text(reply.first + reply.words))
      reply.words += words
      writing.text += piece
      room.stream({ turn: reply.turn, model: `model${model}`, text: piece })
    },
    async end(model: number): Promise<void> {
      const writing = open.get(model)
      open.delete(model)
      if (!writing) return
      const turn = { turn: writing.reply.turn, author: `model${model}` }
      const text = writing.text.trim()
      await (text === ''
        ? room.record({ ...turn, kind: 'notice', level: 'info', text: 'nothing' })
        : room.record({ ...turn, kind: 'reply', text, outcome: 'done' }))
    },
    /** All messages stand there once, in order, and the words of each reply; else what does not. */
    missing(emulator: Emulator, wasResized: boolean): string | undefined {
      const lines = emulator.text().split('\n')
      const bars = lines.filter((line) => STATUS.test(line)).length
      if (bars !== 1) return `${bars} status lines`
      const above = lines.slice(
        0,
        lines.findLastIndex((line) => STATUS.test(line)),
      )
      return missingLine(above) ?? missingWord(above, wasResized)
    },
  }

  function missingLine(above: readonly string[]): string | undefined {
    let rest = compact(above.join(''))
    let others = ''
    for (const { author, text } of said) {
      const at = [`${author}:`, '·']
        .map((label) => ({ label, from: rest.indexOf(label + compact(text)) }))
        .filter(({ from }) => from >= 0)
        .toSorted((a, b) => a.from - b.from)[0]
      if (!at) return `${author}: ${text}`
      others += rest.slice(0, at.from)
      rest = rest.slice(at.from + at.label.length + compact(text).length)
    }
    const more = IS_TYPED.exec(others + rest) ?? /<\d+>/.exec(others + rest)
    return more ? `nothing more of "${more[0]}"` : undefined
  }

  /** What is not finished may stand there twice: a narrower window breaks it, and shows it before the session is told. */
  function missingWord(above: readonly string[], wasResized: boolean): string | undefined {
    const numbers = wordsIn(above.join('\n'))
    for (const { first, words } of replies) {
      const own = numbers.filter((number) => number >= first && number < first + WORDS_APART)
      const shown = own.map((number) => number - first)
      const read = wasResized ? [...new Set(shown)].toSorted((a, b) => a - b) : shown
      if (read.join() !== allWords(words).join()) return `the words of ${first}: ${words}`
    }
    return undefined
  }
}
