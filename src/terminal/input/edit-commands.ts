import {
  characterAt,
  characterEnd,
  codePointAt,
  headOf,
  nextBoundary,
  previousBoundary,
} from '../../base/text/characters.ts'
import type { KeyName } from './keys.ts'

/** `cursor` is an index into `text`, never within a code point. */
export interface Draft {
  readonly text: string
  readonly cursor: number
  readonly prompt?: string
}

export const EMPTY_DRAFT: Draft = { text: '', cursor: 0 }

export const draftOf = (text: string): Draft => ({ text, cursor: text.length })

const moveTo = ({ text }: Draft, cursor: number): Draft => ({ text, cursor })

export const cut = ({ text }: Draft, from: number, to: number): Draft => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
})

/** Inserts as much of `inserted` as `maxUnits` allows. */
export function insert({ text, cursor }: Draft, inserted: string, maxUnits: number): Draft {
  const free = Math.max(0, maxUnits - text.length)
  const fits = inserted.slice(0, codePointAt(inserted, Math.min(free, inserted.length)))
  return { text: text.slice(0, cursor) + fits + text.slice(cursor), cursor: cursor + fits.length }
}

export interface KillCommand {
  readonly side: 'left' | 'right'
  readonly range: (draft: Draft) => readonly [from: number, to: number]
}

export const KILLS: Readonly<Partial<Record<KeyName, KillCommand>>> = {
  'kill-word': { side: 'left', range: (draft) => [blankWordStart(draft), draft.cursor] },
  'kill-word-left': { side: 'left', range: (draft) => [wordStart(draft), draft.cursor] },
  'kill-word-right': { side: 'right', range: (draft) => [draft.cursor, wordEnd(draft)] },
  'kill-left': { side: 'left', range: (draft) => [lineStart(draft), draft.cursor] },
  'kill-right': {
    side: 'right',
    range: (draft) => [draft.cursor, Math.max(lineEnd(draft), nextIfLineEnd(draft))],
  },
}

export const EDITS: Readonly<Partial<Record<KeyName, (draft: Draft, maxUnits: number) => Draft>>> = {
  newline: (draft, maxUnits) => insert(draft, '\n', maxUnits),
  backspace: (draft) => cut(draft, previousBoundary(draft.text, draft.cursor), draft.cursor),
  delete: (draft) => cut(draft, draft.cursor, nextBoundary(draft.text, draft.cursor)),
  left: (draft) => moveTo(draft, previousBoundary(draft.text, draft.cursor)),
  right: (draft) => moveTo(draft, nextBoundary(draft.text, draft.cursor)),
  home: (draft) => moveTo(draft, lineStart(draft)),
  end: (draft) => moveTo(draft, lineEnd(draft)),
  'word-left': (draft) => moveTo(draft, wordStart(draft)),
  'word-right': (draft) => moveTo(draft, wordEnd(draft)),
  'upper-word': (draft, maxUnits) => changeCase(draft, 'upper-word', maxUnits),
  'lower-word': (draft, maxUnits) => changeCase(draft, 'lower-word', maxUnits),
  'capital-word': (draft, maxUnits) => changeCase(draft, 'capital-word', maxUnits),
  transpose,
  'transpose-words': transposeWords,
}

const lineStart = ({ text, cursor }: Draft): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}

const nextIfLineEnd = ({ text, cursor }: Draft): number => (text[cursor] === '\n' ? cursor + 1 : cursor)

const replace = ({ text }: Draft, from: number, to: number, by: string): Draft => ({
  text: text.slice(0, from) + by + text.slice(to),
  cursor: from + by.length,
})

const WORD_CASES = {
  'upper-word': (word: string) => word.toUpperCase(),
  'lower-word': (word: string) => word.toLowerCase(),
  'capital-word': (word: string) =>
    word.toLowerCase().replace(/[\p{L}\p{N}]/u, (first) => first.toUpperCase()),
} as const

function changeCase(draft: Draft, how: keyof typeof WORD_CASES, maxUnits: number): Draft {
  const end = wordEnd(draft)
  const word = draft.text.slice(draft.cursor, end)
  const changed = replace(draft, draft.cursor, end, WORD_CASES[how](word))
  return changed.text.length <= maxUnits ? changed : moveTo(draft, end)
}

/** Swaps the characters around the cursor; at the end of the text, the last two. Never swaps across lines. */
function transpose(draft: Draft): Draft {
  const { text, cursor } = draft
  const middle = cursor === text.length ? previousBoundary(text, cursor) : cursor
  const [from, to] = [previousBoundary(text, middle), nextBoundary(text, middle)]
  if (middle === 0 || middle === text.length || text.slice(from, to).includes('\n')) return draft
  return replace(draft, from, to, text.slice(middle, to) + text.slice(from, middle))
}

function transposeWords(draft: Draft): Draft {
  const { text } = draft
  const secondEnd = wordEnd(draft)
  const second = wordStart(moveTo(draft, secondEnd))
  const first = wordStart(moveTo(draft, second))
  const firstEnd = wordEnd(moveTo(draft, first))
  if (first === second || firstEnd > second) return draft
  const words = text.slice(second, secondEnd) + text.slice(firstEnd, second) + text.slice(first, firstEnd)
  return replace(draft, first, secondEnd, words)
}

/** As readline's `backward-word`: letters and digits. */
function wordStart({ text, cursor }: Draft): number {
  let at = cursor
  while (at > 0 && !isLetter(text.charCodeAt(at - 1))) at--
  while (at > 0 && isLetter(text.charCodeAt(at - 1))) at--
  return isBetweenAscii(text, at) ? at : characterAt(text, at)
}

function wordEnd({ text, cursor }: Draft): number {
  let at = cursor
  while (at < text.length && !isLetter(text.charCodeAt(at))) at++
  while (at < text.length && isLetter(text.charCodeAt(at))) at++
  return isBetweenAscii(text, at) || characterAt(text, at) === at ? at : characterEnd(text, at)
}

/** As readline's `unix-word-rubout`. */
function blankWordStart({ text, cursor }: Draft): number {
  let at = cursor
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at--
  while (at > 0 && !isSpace(text.charCodeAt(at - 1))) at--
  return at
}

const isBetweenAscii = (text: string, at: number): boolean =>
  text.charCodeAt(at - 1) < 0x80 && text.charCodeAt(at) < 0x80

const LETTER = 1
const SPACE = 2

const isLetter = (unit: number): boolean => classes()[unit] === LETTER
const isSpace = (unit: number): boolean => classes()[unit] === SPACE

let known: Uint8Array | undefined

/** Character classes by UTF-16 unit: a lookup is fast in a word of 65,536 units while a key is held down. */
function classes(): Uint8Array {
  if (known) return known
  known = new Uint8Array(0x10000)
  const units = Array.from({ length: 0xd800 }, (_, unit) => String.fromCharCode(unit)).join('')
  for (const { index, 0: run } of units.matchAll(/[\p{L}\p{N}\p{M}]+/gu))
    known.fill(LETTER, index, index + run.length)
  for (const { index } of units.matchAll(/\s/g)) known[index] = SPACE
  // Above the surrogates there are letters too: Arabic and fullwidth forms.
  for (let unit = 0xf900; unit < 0x10000; unit++)
    if (/[\p{L}\p{N}]/u.test(String.fromCharCode(unit))) known[unit] = LETTER
  known[0xfeff] = SPACE
  return known
}

export type KillRing = readonly string[]

const MAX_KILLS = 16
const MAX_KILL_UNITS = 65_536

export const kill = (kills: KillRing, text: string): KillRing =>
  newestOf([...kills, headOf(text, MAX_KILL_UNITS)], MAX_KILLS, MAX_KILL_UNITS, (one) => one)

/** Joins the text to the last kill, since the previous key cut text, too. */
export function extendLastKill(kills: KillRing, text: string, side: 'left' | 'right'): KillRing {
  const last = kills.at(-1) ?? ''
  return kill(kills.slice(0, -1), side === 'left' ? text + last : last + text)
}

export const rotate = (kills: KillRing): KillRing => [...kills.slice(-1), ...kills.slice(0, -1)]

export type Undo = readonly Draft[]

const MAX_STEPS = 100
const MAX_UNDO_UNITS = 131_072

export const pushUndo = (undo: Undo, draft: Draft): Undo =>
  newestOf([...undo, draft], MAX_STEPS, MAX_UNDO_UNITS, ({ text }) => text)

/** Returns at most `count` items from the end, of at most `maxUnits` together, but always the last item. */
export function newestOf<Item>(
  items: readonly Item[],
  count: number,
  maxUnits: number,
  textOf: (item: Item) => string,
): readonly Item[] {
  let units = 0
  const tooOld = items.findLastIndex((item) => (units += textOf(item).length) > maxUnits)
  return items.slice(Math.min(items.length - 1, Math.max(tooOld + 1, items.length - count)))
}

/** True if `typed` begins a word: typing is undone word by word. */
export const beginsWord = ({ text, cursor }: Draft, typed: string): boolean =>
  !isSpace(typed.charCodeAt(0)) && (cursor === 0 || isSpace(text.charCodeAt(cursor - 1)))
