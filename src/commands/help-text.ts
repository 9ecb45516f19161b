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
  const width = Math.max(...groups.map(({ name }) => name.length)) + 2
  const rows = groups.flatMap(({ name, commands }) => {
    const names = commands.map((command) => named(command, kind)).join(' ')
    return plainRows(name.padEnd(width) + names, columns, ' '.repeat(width))
  })
  const more = MORE.map((line) => forCaller(line, kind)).flatMap((line) => plainRows(line, columns, '  '))
  return [...rows, ...more, ...plainRows(LAST_LINE[kind], columns, '  ')].join('\n')
}

const MORE: readonly string[] = [
  '/help GROUP and /help COMMAND tell more, with examples; /help keys lists the keys;',
  'any other words are looked for: /help private room',
]

const LAST_LINE: Readonly<Record<CallerKind, string>> = {
  session: 'Anything else is said in the room; @NAME in it asks a model: try @guide',
  script: 'A script names the room first: ssh HOST say lobby hello; flags before text',
}

/** The commands of one group, with their forms and an example each. */
export const groupHelp = (
  { name, about, commands }: CommandGroup,
  kind: CallerKind,
  columns: number,
): string =>
  [`${name}: ${about}`, ...commands.flatMap((command) => briefly(command, kind, columns))].join('\n')

/** The form of a command, what it does in a few words, and an example: two rows where they have room. */
export function briefly(command: Command, kind: CallerKind, columns: number): readonly string[] {
  const [form, what, such] = [
    usage(command, kind),
    `  ${gist(command)}`,
    `  e.g. ${exampleOf(command, kind)}`,
  ]
  const rows = plainRows(what, columns, '  ')
  if (form === exampleOf(command, kind)) return [form, ...rows]
  if (form.length + such.length <= columns) return [form + such, ...rows]
  if (what.length + such.length <= columns) return [form, what + such]
  return [form, ...rows, such]
}

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
