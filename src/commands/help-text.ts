import { plainRows } from '../lib/text/plain-rows.ts'
import type { CallerKind } from './caller.ts'
import type { ArgumentSpec, Command } from './define.ts'
import type { CommandGroup } from './groups.ts'
import { forCaller } from './habits.ts'
import { spelled, usableFlags, usage } from './usage.ts'

/** A key and what it does. */
export interface HelpKey {
  readonly keys: string
  readonly does: string
}

/** All groups with the names of their commands, and how to ask for more. */
export function overview(groups: readonly CommandGroup[], kind: CallerKind, columns: number): string {
  const width = Math.max(...groups.map(({ name }) => name.length)) + (columns < NARROW ? 1 : 2)
  const rows = groups.flatMap(({ name, commands }) => {
    const names = commands.map((command) => named(command, kind)).join(' ')
    return plainRows(name.padEnd(width) + names, columns, ' '.repeat(width))
  })
  const sentences = MORE[kind]
  const areRows = sentences.every(({ length }) => length <= columns)
  return [...rows, ...(areRows ? sentences : plainRows(sentences.join(' '), columns, ''))].join('\n')
}

/** Cells; below that each of them counts. */
const NARROW = 60

const MORE: Readonly<Record<CallerKind, readonly string[]>> = {
  session: [
    '/help GROUP, COMMAND or keys tells more, and looks for any other words.',
    'Anything else is said in the room; @guide in it asks a model',
  ],
  script: [
    'help GROUP, COMMAND or keys tells more, and looks for any other words.',
    'A script names the room first: ssh HOST say lobby hello; flags before text',
  ],
}

/** What is seen at once on 24 rows, beside the line that asked, the status line and the prompt. */
const SEEN_ROWS = 21

/** The commands of one group, with their forms, what they do, and examples. */
export function groupHelp(
  { name, about, commands }: CommandGroup,
  kind: CallerKind,
  columns: number,
): string {
  const heading = plainRows(`${name}: ${about}`, columns, '  ')
  return [...heading, ...briefly(commands, { kind, columns, rows: SEEN_ROWS - heading.length })].join('\n')
}

/** Where something is listed; `rows` are those that there should be at most. */
export interface HelpSpace {
  readonly kind: CallerKind
  readonly columns: number
  readonly rows?: number
}

/** Commands with as many words as there are rows for: on a narrow screen without some examples, then in short. */
export function briefly(
  commands: readonly Command[],
  { kind, columns, rows = SEEN_ROWS }: HelpSpace,
): readonly string[] {
  const ways = [whole, withoutExampleRow, gistInOneRow, inTwoRows].map((way) =>
    commands.flatMap((command) => way(partsOf(command, kind), columns)),
  )
  return ways.find(({ length }) => length <= rows) ?? ways.at(-1) ?? []
}

/** The form of a command, what it does in a few words, and an example; empty where it is the form. */
interface Brief {
  readonly form: string
  readonly what: string
  readonly such: string
}

function partsOf(command: Command, kind: CallerKind): Brief {
  const [form, example] = [usage(command, kind), exampleOf(command, kind)]
  return { form, what: `  ${gist(command)}`, such: form === example ? '' : `  e.g. ${example}` }
}

/** Two rows where they have room. */
function whole(brief: Brief, columns: number): readonly string[] {
  const { form, what, such } = brief
  if (form.length + such.length <= columns) return withoutExampleRow(brief, columns)
  if (what.length + such.length <= columns) return [...formRows(brief, columns), what + such]
  return [...withoutExampleRow(brief, columns), such]
}

const withoutExampleRow = (brief: Brief, columns: number): readonly string[] => [
  ...formRows(brief, columns),
  ...plainRows(brief.what, columns, '  '),
]

const gistInOneRow = (brief: Brief, columns: number): readonly string[] => [
  ...formRows(brief, columns),
  oneRow(brief.what, columns),
]

function inTwoRows(brief: Brief, columns: number): readonly string[] {
  const [form = '', ...more] = formRows(brief, columns)
  return [more.length === 0 ? form : oneRow(brief.form, columns), oneRow(brief.what, columns)]
}

/** As many whole words as fit; `…` says that there are more. */
function oneRow(text: string, columns: number): string {
  const [row = '', ...more] = plainRows(text, columns - 1, '  ')
  return more.length === 0 ? row : `${row}…`
}

/** The form, and the example where it fits behind it. */
const formRows = ({ form, such }: Brief, columns: number): readonly string[] =>
  form.length + such.length <= columns ? [form + such] : plainRows(form, columns, '  ')

/** The first part of a command's summary. */
export const gist = ({ summary }: Pick<Command, 'summary'>): string => summary.split(/[;:] /, 1)[0] ?? ''

/** A command and all that can stand in it. */
export function commandHelp(command: Command, kind: CallerKind): string {
  const { aliases = [], arguments: wanted } = command
  const example = exampleOf(command, kind)
  const form = usage(command, kind)
  return [
    form,
    `  ${command.summary}`,
    ...wanted.map((one) => `  ${one.name.toUpperCase()}: ${one.about}${choicesOf(one)}`),
    ...usableFlags(command).map(
      (flag) => `  ${spelled(flag)}${flag.value ? ` ${flag.value}` : ''}: ${flag.about}`,
    ),
    ...(example === form ? [] : [`  such as: ${example}`]),
    ...(aliases.length === 0 ? [] : [`  also called: ${aliases.join(', ')}`]),
  ].join('\n')
}

const choicesOf = ({ oneOf }: ArgumentSpec): string => (oneOf ? ` (${oneOf.join(', ')})` : '')

/** A line that works, as this caller types it. */
export function exampleOf({ name, room, example }: Command, kind: CallerKind): string {
  const words = [name, ...(kind === 'script' && room !== 'none' ? ['ROOM'] : []), example]
  const line = words.filter((word) => word !== '').join(' ')
  return kind === 'session' ? `/${line}` : line
}

/** The keys side by side, in as many columns as there is room for, up to two. */
export function keysHelp(keys: readonly HelpKey[], columns: number): string {
  const width = Math.max(...keys.map((one) => one.keys.length)) + 2
  const cells = keys.map((one) => one.keys.padEnd(width) + one.does)
  const cell = Math.max(...cells.map(({ length }) => length)) + 2
  if (cell * 2 > columns) return cells.join('\n')
  const half = Math.ceil(cells.length / 2)
  return cells
    .slice(0, half)
    .map((one, index) => (one.padEnd(cell) + (cells[half + index] ?? '')).trimEnd())
    .join('\n')
}

/** The name of a command as this caller types it. */
const named = ({ name }: Command, kind: CallerKind): string => (kind === 'session' ? `/${name}` : name)
