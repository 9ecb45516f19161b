import { Refusal } from '../words/errors.ts'
import { closest } from '../base/suggest.ts'
import { plainRows } from '../base/text/pages.ts'
import {
  defineCommand,
  isCalled,
  kindOf,
  text,
  type ArgumentSpec,
  type Caller,
  type CallerKind,
  type Command,
  type CommandGroup,
} from './command.ts'
import { beforeSemicolon, oneRow, overview } from './help-overview.ts'
import { forCaller, hintForCommand } from './hints.ts'
import { flagsFor, spelled, usage } from './parse.ts'

export interface HelpKey {
  readonly keys: string
  readonly does: string
}

/** The help that fits a question, in the words of a session: rows, a hint, command names, best first. */
export interface HelpAnswer {
  readonly rows: readonly (readonly [type: string, does: string])[]
  readonly hint: string | undefined
  readonly commands: readonly string[]
}

/** Finds help for a question in people's own words; undefined if nothing fits. */
export type FindHelp = (words: string, groups: readonly CommandGroup[]) => HelpAnswer | undefined

/** Calls `all` each time, so that help knows every command, itself included. */
export const helpCommand = (
  all: () => readonly CommandGroup[],
  { keys, findHelp }: { readonly keys: readonly HelpKey[]; readonly findHelp: FindHelp },
): Command =>
  defineCommand({
    name: 'help',
    allowedWhenCutOff: true,
    aliases: ['h', '?', 'commands', 'man'],
    summary:
      'show what you can do here: the groups of commands, one group, one command, the keys, the answer to a question, or commands that contain some words',
    arguments: [
      text('words', 'a group or a command; keys; a question; or words to look for in all of them', {
        optional: true,
      }),
    ],
    example: 'tools',
    complete: {
      words: ({ given }) =>
        given.length > 0
          ? []
          : ['keys', ...all().flatMap(({ name, commands }) => [name, ...namesOf(commands)])],
    },
    async run(context) {
      const { args, out } = context
      const kind = kindOf(context)
      // The last cell of a row stays free, as in all other output.
      const columns = out.columns - 1
      const words = (args.words ?? '').trim().toLowerCase()
      if (words === '') return out.line(overview(all(), kind, columns))
      const group = all().find(({ name }) => name === words)
      if (group) return out.line(groupHelp(group, kind, columns))
      const commands = all().flatMap((one) => one.commands)
      const name = words.replace(/^\//, '')
      const command = commands.find((one) => isCalled(one, name))
      if (name === 'keys') out.line(keysHelp(keys, columns))
      if (command)
        return out.line(
          name === 'keys' ? commandRows([command], kind, columns).join('\n') : commandHelp(command, kind),
        )
      const hint = hintForCommand(name, kind)
      if (hint !== undefined) return out.line(hint)
      if (name.startsWith('@')) return out.line(forCaller(HOW_TO_ASK[kind], kind))
      const apart = words.split(/\s+/)
      const answer = findHelp(words, all())
      if (answer && apart.length >= SENTENCE) return out.line(answerText(answer, commands, context))
      const found = search(apart, commands, keys)
      if (found.commands.length + found.keys.length === 0) {
        if (answer) return out.line(answerText(answer, commands, context))
        throw nothingFound(name, commands, kind)
      }
      for (const one of found.keys) out.line(`${one.keys}  ${one.does}`)
      const shown = found.commands.slice(0, MAX_FOUND)
      if (shown.length > 0) out.line(commandRows(shown, kind, columns).join('\n'))
      if (found.commands.length > MAX_FOUND)
        out.line(`${found.commands.length - MAX_FOUND} more match; add a word to find fewer`)
    },
  })

/** Questions with fewer words are first searched for as they are. */
const SENTENCE = 3

function answerText(
  { rows, hint, commands: names }: HelpAnswer,
  commands: readonly Command[],
  caller: Caller,
): string {
  const kind = kindOf(caller)
  const columns = caller.out.columns - 1
  const shown = names.flatMap((name) => commands.find((one) => one.name === name) ?? [])
  const width = Math.max(0, ...rows.map(([type]) => type.length)) + 2
  return [
    ...rows.flatMap(([type, does]) =>
      plainRows(forCaller(type, kind).padEnd(width) + forCaller(does, kind), columns, '  '),
    ),
    ...(hint === undefined ? [] : plainRows(forCaller(hint, kind), columns, '  ')),
    ...commandRows(shown, kind, columns),
  ].join('\n')
}

const HOW_TO_ASK: Readonly<Record<CallerKind, string>> = {
  session: 'a model is asked in the room: type @guide help, without /help; /models lists the models',
  script: 'a model is asked with ask ROOM @guide TEXT; /models lists the models',
}

const MAX_FOUND = 8

const namesOf = (commands: readonly Command[]): readonly string[] => commands.map(({ name }) => name)

/** Returns commands and keys that have all the words; first those with the words in name or summary. */
function search(words: readonly string[], commands: readonly Command[], keys: readonly HelpKey[]) {
  const hasAll = (one: string): boolean => words.every((word) => one.toLowerCase().includes(word))
  const near = commands.filter((one) => hasAll(`${allNames(one)} ${shortSummary(one)}`))
  const far = commands.filter((one) => !near.includes(one) && hasAll(fullText(one)))
  return { commands: [...near, ...far], keys: keys.filter((key) => hasAll(`${key.keys} ${key.does}`)) }
}

const allNames = ({ name, aliases = [] }: Command): string => [name, ...aliases].join(' ')

const fullText = (command: Command): string =>
  [
    allNames(command),
    command.summary,
    ...[...command.arguments, ...command.flags].map(({ name, about }) => `${name} ${about}`),
  ].join(' ')

function nothingFound(words: string, commands: readonly Command[], kind: CallerKind): Refusal {
  const slash = kind === 'session' ? '/' : ''
  const near = closest(words, namesOf(commands))
  const hint = near ? `did you mean ${slash}${near}?` : `${slash}help lists the commands`
  return new Refusal(`no command and no key has "${words.slice(0, 40)}"; ${hint}`)
}

export function groupHelp(
  { name, about, commands }: CommandGroup,
  kind: CallerKind,
  columns: number,
): string {
  const heading = plainRows(`${name}: ${about}`, columns, '  ')
  return [...heading, ...commandRows(commands, kind, columns, HELP_ROWS - heading.length)].join('\n')
}

function commandHelp(command: Command, kind: CallerKind): string {
  const { aliases = [], arguments: wanted } = command
  const example = exampleOf(command, kind)
  const form = usage(command, kind)
  return [
    form,
    `  ${command.summary}`,
    ...wanted.map((one) => `  ${one.name.toUpperCase()}: ${one.about}${choicesOf(one)}`),
    ...flagsFor(command, kind).map(
      (flag) => `  ${spelled(flag)}${flag.value ? ` ${flag.value}` : ''}: ${flag.about}`,
    ),
    ...(example === form ? [] : [`  such as: ${example}`]),
    ...(aliases.length === 0 ? [] : [`  also called: ${aliases.join(', ')}`]),
  ].join('\n')
}

const choicesOf = ({ oneOf }: ArgumentSpec): string => (oneOf ? ` (${oneOf.join(', ')})` : '')

/** Renders the keys in two columns if there is space, else in one. */
function keysHelp(keys: readonly HelpKey[], columns: number): string {
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

/** Rows that fit a 24-row window with the entered line, the status line and the prompt. */
const HELP_ROWS = 21

/** Returns the commands with as much text as `rows` allow: drops examples first, then shortens summaries. */
function commandRows(
  commands: readonly Command[],
  kind: CallerKind,
  columns: number,
  rows = HELP_ROWS,
): readonly string[] {
  const layouts = [withExample, withSummary, withShortSummary, inTwoRows].map((layout) =>
    commands.flatMap((command) => {
      const [form, example] = [usage(command, kind), exampleOf(command, kind)]
      const such = form === example ? '' : `  e.g. ${example}`
      return layout({ form, what: `  ${shortSummary(command)}`, such }, columns)
    }),
  )
  return layouts.find(({ length }) => length <= rows) ?? layouts.at(-1) ?? []
}

/** A command's usage line, short summary and example, which is empty if it equals the usage line. */
interface CommandLines {
  readonly form: string
  readonly what: string
  readonly such: string
}

function withExample(lines: CommandLines, columns: number): readonly string[] {
  const { form, what, such } = lines
  if (form.length + such.length <= columns) return withSummary(lines, columns)
  if (what.length + such.length <= columns) return [...formRows(lines, columns), what + such]
  return [...withSummary(lines, columns), ...plainRows(such, columns, '    ')]
}

const withSummary = (lines: CommandLines, columns: number): readonly string[] => [
  ...formRows(lines, columns),
  ...plainRows(lines.what, columns, '  '),
]

const withShortSummary = (lines: CommandLines, columns: number): readonly string[] => [
  ...formRows(lines, columns),
  oneRow(lines.what, columns),
]

function inTwoRows(lines: CommandLines, columns: number): readonly string[] {
  const [form = '', ...more] = formRows(lines, columns)
  return [more.length === 0 ? form : oneRow(lines.form, columns), oneRow(lines.what, columns)]
}

/** Returns the usage line, with the example after it if both fit in a row. */
const formRows = ({ form, such }: CommandLines, columns: number): readonly string[] =>
  form.length + such.length <= columns ? [form + such] : plainRows(form, columns, '  ')

/** Returns the short summary of a command that is written with its slash; undefined for other words. */
export const createSummaryOf = (commands: readonly Command[]): ((choice: string) => string | undefined) => {
  const summaries = new Map(commands.map((one) => [`/${one.name}`, shortSummary(one)]))
  return (choice) => summaries.get(choice)
}

const shortSummary = ({ summary }: Command): string => beforeSemicolon(summary)

/** Returns an example as this caller types it. */
function exampleOf({ name, room, example }: Command, kind: CallerKind): string {
  const words = [name, ...(kind === 'script' && room !== 'none' ? ['ROOM'] : []), example]
  const line = words.filter((word) => word !== '').join(' ')
  return kind === 'session' ? `/${line}` : line
}
