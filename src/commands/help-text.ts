import { plainRows } from '../lib/text/plain-rows.ts'
import { briefly, exampleOf, SEEN_ROWS } from './brief-help.ts'
import type { ArgumentSpec, CallerKind, Command, CommandGroup } from './command.ts'
import { spelled, usage } from './parse.ts'

/** A key and what it does. */
export interface HelpKey {
  readonly keys: string
  readonly does: string
}

/** All groups with the names of their commands, and how to ask for more. */
export function overview(groups: readonly CommandGroup[], kind: CallerKind, columns: number): string {
  const width = Math.max(...groups.map(({ name }) => name.length)) + 2
  const isNarrow = columns < NARROW
  const rows = groups.flatMap(({ name, commands }) => {
    const names = commands.map((command) => named(command, kind)).join(' ')
    const heading = isNarrow ? `${name}: ` : name.padEnd(width)
    return plainRows(heading + names, columns, ' '.repeat(isNarrow ? 2 : width))
  })
  const sentences = MORE[kind]
  const areRows = sentences.every(({ length }) => length <= columns)
  return [...rows, ...(areRows ? sentences : plainRows(sentences.join(' '), columns, ''))].join('\n')
}

/** Cells; below that each of them counts. */
const NARROW = 60

const MORE: Readonly<Record<CallerKind, readonly string[]>> = {
  session: [
    '/help GROUP, COMMAND, keys or WORDS tells more.',
    'Anything else is said in the room; @guide in it asks a model',
  ],
  script: [
    'help GROUP, COMMAND, keys or WORDS tells more.',
    'A script names the room first: ssh HOST say lobby hello; flags before text',
  ],
}

/** The commands of one group, with their forms, what they do, and examples. */
export function groupHelp(
  { name, about, commands }: CommandGroup,
  kind: CallerKind,
  columns: number,
): string {
  const heading = plainRows(`${name}: ${about}`, columns, '  ')
  return [...heading, ...briefly(commands, { kind, columns, rows: SEEN_ROWS - heading.length })].join('\n')
}

/** A command and all that can stand in it. */
export function commandHelp(command: Command, kind: CallerKind): string {
  const { aliases = [], arguments: wanted } = command
  const example = exampleOf(command, kind)
  const form = usage(command, kind)
  return [
    form,
    `  ${command.summary}`,
    ...wanted.map((one) => `  ${one.name.toUpperCase()}: ${one.about}${choicesOf(one)}`),
    ...command.flags.map((flag) => `  ${spelled(flag)}${flag.value ? ` ${flag.value}` : ''}: ${flag.about}`),
    ...(example === form ? [] : [`  such as: ${example}`]),
    ...(aliases.length === 0 ? [] : [`  also called: ${aliases.join(', ')}`]),
  ].join('\n')
}

const choicesOf = ({ oneOf }: ArgumentSpec): string => (oneOf ? ` (${oneOf.join(', ')})` : '')

/** The keys side by side, in as many columns as there is space for, up to two. */
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
