import { format } from 'prettier'
import type { Ran } from './command-world.ts'
import { exampleOf } from './examples.ts'
import { whoMay } from './who-may.ts'
import type { ArgumentSpec, Command, CommandGroup, FlagSpec } from '../../../src/commands/command.ts'
import { spelled, usage } from '../../../src/commands/parse.ts'

/** The text of docs/commands.md, as prettier wants it. `answers`: what the command's example printed. */
export function commandsPage(
  groups: readonly CommandGroup[],
  answers: ReadonlyMap<Command, Ran>,
): Promise<string> {
  const commands = groups.flatMap((group) => group.commands)
  const shared = sharedBy(commands, ({ flags }) => flags.map(flagLine))
  const sections = groups.flatMap((group) => groupSections(group, shared, answers))
  return formatPage([INTRODUCTION, SHARED_FLAGS, list([...shared]), ...sections])
}

/** The sections of a page, formatted as all pages of docs are. */
export const formatPage = (sections: readonly string[]): Promise<string> =>
  format(sections.join('\n\n'), { parser: 'markdown', printWidth: 110, proseWrap: 'always' })

/** The form of a command as the page has it: a script's, or a session's if no script has it. */
export function pageUsage(command: Command): string {
  if (command.fromScript !== undefined) return usage(command, 'session')
  const form = usage(command, 'script')
  return command.room === 'here-or-all' ? form.replace('ROOM', 'ROOM|-') : form
}

const INTRODUCTION = `# Commands

\`npm run docs\` writes this page from the commands themselves, in the groups of \`/help\`, and runs each example.

A script runs a command as \`ssh HOST COMMAND\`, and most commands take the room as first argument. In a session the same
command begins with a slash and has no \`ROOM\`, because it acts on the room that the session is in. So
\`ssh HOST topic den tea\` is \`/topic tea\` in den. If a form has \`ROOM|-\`, \`-\` means all rooms, also in a session.
A form with a slash works in sessions only. Arguments in \`[…]\` are optional, and one with \`…\` takes the rest of the line.

The server splits a command at spaces and gives quotes no meaning: the quotes in examples are for the shell of the
caller. Flags come before a text, and \`--\` ends the flags. The exit status is 0 after success, 1 if the command was
refused or failed, and 2 if its arguments are wrong; the reason is on standard error.

Below each example is the output of a script, if there is any; \`⋯\` marks text that this page leaves out. In a session,
a command that changes the room adds a line to the room instead, which all people there see.

Who may: *readers* see the room; *speakers* are readers who are not muted, in a room that is not archived; *managers* are
the owner of the room, its ops and admins. [Rights](rights.md) lists every use by role, in public, private and archived rooms.`

const SHARED_FLAGS = 'These flags mean the same in each command that does not explain them itself:'

/** A line that this number of commands have is said once for all of them. */
const MANY = 3

function sharedBy(
  commands: readonly Command[],
  linesOf: (command: Command) => readonly string[],
): ReadonlySet<string> {
  const lines = commands.flatMap((command) => [...new Set(linesOf(command))])
  return new Set(lines.filter((line) => lines.filter((other) => other === line).length >= MANY))
}

function groupSections(
  { name, about, commands }: CommandGroup,
  sharedFlags: ReadonlySet<string>,
  answers: ReadonlyMap<Command, Ran>,
): readonly string[] {
  const notes = sharedBy(commands, (command) => noteOf(command))
  const shared = new Set([...sharedFlags, ...notes])
  return [
    `## ${name}: ${about}`,
    ...Array.from(notes, (note) => {
      const noted = commands.filter((command) => noteOf(command).includes(note))
      return `For ${noted.map((command) => code(command.name)).join(', ')}: ${note}`
    }),
    ...commands.map((command) => section(command, shared, answers.get(command))),
  ]
}

function section(command: Command, shared: ReadonlySet<string>, answer: Ran | undefined): string {
  const isForSessions = command.fromScript !== undefined
  const kind = isForSessions ? 'session' : 'script'
  const example = exampleOf(command, kind)
  if (!answer) throw new Error(`the example of ${command.name} was not run`)
  const isUsage = example === pageUsage(command)
  const shown = [
    pageUsage(command),
    ...(isUsage ? [] : [isForSessions ? example : `$ ${example}`]),
    ...cut(answer.out.length > 0 ? answer.out : answer.err),
  ]
  const isNew = (line: string): boolean => !shared.has(line)
  const who = [whoMay(command.name), ...noteOf(command).filter(isNew)].join(' ')
  return [
    `### ${command.name}`,
    sentence(command.summary) + alsoCalled(command),
    `\`\`\`\n${shown.join('\n')}\n\`\`\``,
    list([
      ...command.arguments.map(argumentLine),
      ...command.flags.map(flagLine).filter(isNew),
      ...(isForSessions ? [`From a script: ${command.fromScript}`] : []),
      `Who may: ${who}`,
    ]),
  ].join('\n\n')
}

/** The most lines of an answer that the page shows, and the most characters of a line. */
const LINES = 4
const COLUMNS = 140
const LEFT_OUT = '⋯'

/** Text that each run of an example prints anew: ids, codes, tokens and times of files. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b01[\dA-HJKMNP-TV-Z]{24}\b/g, `01KDVDNA00${LEFT_OUT}`],
  [/\b[\dA-Z]{4}-[\dA-Z]{4}-[\dA-Z]{4}-[\dA-Z]{4}\b/g, `QX2M-${LEFT_OUT}`],
  [/\bsshawl_[\w-]+/g, `sshawl_${LEFT_OUT}`],
  [/(?<= wrote, ).*(?=:$)/g, LEFT_OUT],
]

function cut(answer: readonly string[]): readonly string[] {
  const lines = answer
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => CHANGING.reduce((changed, [from, to]) => changed.replaceAll(from, to), line))
    .filter((line) => line.trim() !== '')
    .map((line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS)}${LEFT_OUT}` : line))
  return lines.length > LINES ? [...lines.slice(0, LINES), LEFT_OUT] : lines
}

const argumentLine = ({ name, about, oneOf }: ArgumentSpec): string =>
  `${code(name.toUpperCase())}: ${about}${oneOf ? ` (${oneOf.map(code).join(', ')})` : ''}`

const flagLine = (flag: FlagSpec): string => {
  const form = flag.value ? `${spelled(flag)} ${flag.value}` : spelled(flag)
  return `${code(form)}${flag.forScripts ? ' (scripts alone)' : ''}: ${flag.about}`
}

const alsoCalled = ({ aliases = [] }: Command): string =>
  aliases.length === 0 ? '' : ` Also: ${aliases.map(code).join(', ')}.`

const noteOf = ({ rights }: Command): readonly string[] => (rights && 'note' in rights ? [rights.note] : [])

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const code = (text = ''): string => `\`${text}\``
