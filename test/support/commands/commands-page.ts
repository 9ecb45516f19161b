import { format } from 'prettier'
import { rightsTables } from './rights-tables.ts'
import { whoMay } from './who-may.ts'
import type {
  ArgumentSpec,
  CallerKind,
  Command,
  CommandGroup,
  FlagSpec,
} from '../../../src/commands/command.ts'
import { spelled, usage } from '../../../src/commands/parse.ts'

/** The text of docs/commands.md, as prettier wants it. */
export const commandsPage = (groups: readonly CommandGroup[]): Promise<string> =>
  format([INTRODUCTION, ...groups.flatMap(groupSections), rightsTables()].join('\n\n'), {
    parser: 'markdown',
    printWidth: 110,
    proseWrap: 'always',
  })

/** What stands in the page for an example: one for a session, one for a script. */
export const exampleOf = ({ name, room, example }: Command, kind: CallerKind): string => {
  const words = [name, ...(kind === 'script' && room !== 'none' ? ['den'] : []), example]
  const line = words.filter((word) => word !== '').join(' ')
  return kind === 'session' ? `/${line}` : `ssh HOST ${line.split(' ').map(shellWord).join(' ')}`
}

const INTRODUCTION = `# Commands

\`npm run docs\` writes this page from the commands themselves, in the groups of \`/help\`.

In a session a command begins with a slash. A script runs the same command as \`ssh HOST COMMAND\`; most of them then
begin with the room, where a session uses the one it is in. \`[…]\` may be left out, and \`…\` takes the rest of the line.

A line is split at spaces, and quotes mean nothing in it: what is quoted below is quoted for the caller's own shell. Flags
come before a text; \`--\` ends them. The exit status is 0 where it was done, 1 where it was refused or failed, and 2 where
the words do not fit the command; the reason is on standard error.`

const groupSections = ({ name, about, commands }: CommandGroup): readonly string[] => [
  `## ${name}: ${about}`,
  ...commands.map(section),
]

function section(command: Command): string {
  const inSession = [usage(command, 'session'), exampleOf(command, 'session')]
  const inScript = [`ssh HOST ${usage(command, 'script')}`, exampleOf(command, 'script')]
  const words = [...command.arguments.map(argumentLine), ...command.flags.map(flagLine)]
  return [
    `### ${command.name}`,
    sentence(command.summary) + alsoCalled(command),
    [
      `- In a session: ${shown(inSession)}`,
      `- From a script: ${command.fromScript ?? shown(inScript)}`,
      ...words.map((line) => `- ${line}`),
      `- Who may: ${[whoMay(command.name), noteOf(command)].join(' ').trim()}`,
    ].join('\n'),
  ].join('\n\n')
}

/** A form and its example; only one of them where they are the same. */
const shown = ([form, example]: readonly string[]): string =>
  form === example ? code(form) : `${code(form)}, such as ${code(example)}`

const argumentLine = ({ name, about, oneOf }: ArgumentSpec): string =>
  `${code(name.toUpperCase())}: ${about}${oneOf ? ` (${oneOf.map(code).join(', ')})` : ''}`

const flagLine = (flag: FlagSpec): string =>
  `${code(flag.value ? `${spelled(flag)} ${flag.value}` : spelled(flag))}: ${flag.about}`

const alsoCalled = ({ aliases = [] }: Command): string =>
  aliases.length === 0 ? '' : ` Also: ${aliases.map(code).join(', ')}.`

const noteOf = ({ rights }: Command): string => (rights && 'note' in rights ? rights.note : '')

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const code = (text = ''): string => `\`${text}\``

const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)
