import { plainRows } from '../base/text/pages.ts'
import type { CallerKind, CommandGroup } from './command.ts'

/** A new user's first steps. A text that does not fit its row is cut at its semicolon. */
const FIRST_STEPS: Readonly<Record<CallerKind, readonly (readonly [form: string, does: string])[]>> = {
  session: [
    ['/msg NAME TEXT', 'write to one person; nobody else reads it; /reply answers'],
    ['/join ROOM', 'go to another room; /rooms lists them'],
    ['/create ROOM', 'make a room of your own; --private closes it to others'],
    ['/invite NAME', 'let somebody in; a private room needs that'],
    ['/next', 'go where you are named; else where something is new; Alt-A, too'],
    ['/search WORDS', 'find what was said; /history shows the last lines'],
    ['/allow', "let a model's tool run; /deny does not, /stop stops the model"],
    ['/set', 'your options; such as bell, color, theme and timezone'],
  ],
  script: [
    ['say ROOM TEXT', 'say something; without TEXT, what is piped in'],
    ['ask ROOM @MODEL TEXT', 'ask a model; prints its answer'],
    ['history ROOM', 'print the last lines; -n 50 prints fifty'],
    ['search ROOM WORDS', 'find lines; - for ROOM searches all your rooms'],
    ['msg NAME TEXT', 'write to one person; nobody else reads it'],
    ['rooms', 'list the rooms; says what is new in yours'],
    ['create NAME', 'make a room; --private before NAME closes it'],
    ['join ROOM', 'be a member; mentions there are told to you'],
  ],
}

const CLOSING: Readonly<Record<CallerKind, readonly string[]>> = {
  session: [
    '/help GROUP, COMMAND, keys or WORDS tells more; /quit leaves.',
    'All else is said to the room; @guide in it helps',
  ],
  script: [
    'help GROUP, COMMAND, keys or WORDS tells more.',
    'A script names the room first, then flags, then the text',
  ],
}

/** Limit of rows, so that even a phone shows nearly all of them at once. */
const OVERVIEW_ROWS = 20

/** Columns below which help saves space. */
const NARROW = 60

/** Returns the first steps, and all groups with their commands, or with as many as fit in a row each. */
export function overview(groups: readonly CommandGroup[], kind: CallerKind, columns: number): string {
  const sentences = CLOSING[kind]
  const areRows = sentences.every(({ length }) => length <= columns)
  const steps = firstSteps(kind, columns)
  const closing = areRows ? sentences : plainRows(sentences.join(' '), columns, '')
  const whole = groupRows(groups, kind, columns)
  const isWhole = steps.length + whole.flat().length + closing.length <= OVERVIEW_ROWS
  const named = isWhole ? whole.flat() : whole.map((rows) => firstRow(rows, columns))
  return [...steps, ...named, ...closing].join('\n')
}

function firstSteps(kind: CallerKind, columns: number): readonly string[] {
  const steps = FIRST_STEPS[kind]
  const width = Math.max(...steps.map(([form]) => form.length)) + 2
  return steps.map(([form, does]) => {
    const isFitting = width + does.length <= columns
    return oneRow(form.padEnd(width) + (isFitting ? does : beforeSemicolon(does)), columns)
  })
}

function groupRows(
  groups: readonly CommandGroup[],
  kind: CallerKind,
  columns: number,
): readonly (readonly string[])[] {
  const width = Math.max(...groups.map(({ name }) => name.length)) + 2
  const isNarrow = columns < NARROW
  return groups.map(({ name, commands }) => {
    const names = commands.map((one) => (kind === 'session' ? `/${one.name}` : one.name)).join(' ')
    const heading = isNarrow ? `${name}: ` : name.padEnd(width)
    return plainRows(heading + names, columns, ' '.repeat(isNarrow ? 2 : width))
  })
}

/** Returns as many whole words as fit in one row; `…` marks omitted words. */
export const oneRow = (words: string, columns: number): string =>
  firstRow(plainRows(words, columns, '  '), columns)

function firstRow([row = '', ...more]: readonly string[], columns: number): string {
  if (more.length === 0) return row
  const [fitting = ''] = plainRows(row, columns - 2, '')
  return `${fitting} …`
}

export const beforeSemicolon = (text: string): string => text.split(/[;:] /, 1)[0] ?? ''
