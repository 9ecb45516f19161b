import { Refusal } from '../../chat/errors.ts'
import { closest } from '../../lib/suggest.ts'
import { forCaller, instead } from '../habits.ts'
import { briefly, gist } from '../brief-help.ts'
import { commandHelp, groupHelp, type HelpKey, keysHelp, overview } from '../help-text.ts'
import {
  type CallerKind,
  type Command,
  type CommandGroup,
  defineCommand,
  isCalled,
  kindOf,
} from '../command.ts'

/** `all` is asked each time, so that help knows every command, itself included. */
export const helpCommand = (all: () => readonly CommandGroup[], keys: readonly HelpKey[]): Command =>
  defineCommand({
    name: 'help',
    waitsForNothing: true,
    aliases: ['h', '?', 'commands', 'man'],
    summary:
      'what you can do here: groups of commands, one group, one command, the keys, or what has some words',
    room: 'none',
    arguments: [
      {
        name: 'words',
        about: 'a group or a command; keys; or words to look for in all of them',
        optional: true,
        takes: 'rest',
      },
    ],
    example: 'tools',
    complete: ({ given }) =>
      given.length > 0
        ? []
        : ['keys', ...all().flatMap(({ name, commands }) => [name, ...namesOf(commands)])],
    async run(context) {
      const { args, out } = context
      const kind = kindOf(context)
      // The last cell of a row stays free, as it does for all that is said.
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
          name === 'keys' ? briefly([command], { kind, columns }).join('\n') : commandHelp(command, kind),
        )
      const advice = instead(name, kind)
      if (advice !== undefined) return out.line(advice)
      if (name.startsWith('@')) return out.line(forCaller(HOW_TO_ASK[kind], kind))
      const found = search(words.split(/\s+/), commands, keys)
      if (found.commands.length + found.keys.length === 0) throw nothingFound(name, commands, kind)
      for (const one of found.keys) out.line(`${one.keys}  ${one.does}`)
      const shown = found.commands.slice(0, MAX_FOUND)
      if (shown.length > 0) out.line(briefly(shown, { kind, columns }).join('\n'))
      if (found.commands.length > MAX_FOUND)
        out.line(`${found.commands.length - MAX_FOUND} more have that; another word tells them apart`)
    },
  })

/** For `/help @guide`: those who try it were told of the model, and not yet of how one asks it. */
const HOW_TO_ASK: Readonly<Record<CallerKind, string>> = {
  session: 'a model is asked in the room: type @guide help, without /help; /models lists the models',
  script: 'a model is asked with ask ROOM @guide TEXT; /models lists the models',
}

/** More do not fit on a small screen. */
const MAX_FOUND = 8

const namesOf = (commands: readonly Command[]): readonly string[] => commands.map(({ name }) => name)

/** The commands and keys that have all the words; first the commands whose summary begins with them or is about them. */
function search(words: readonly string[], commands: readonly Command[], keys: readonly HelpKey[]) {
  const hasAll = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const near = commands.filter((one) => hasAll(`${namesOfOne(one)} ${gist(one)}`))
  const far = commands.filter((one) => !near.includes(one) && hasAll(textOf(one)))
  return { commands: [...near, ...far], keys: keys.filter((key) => hasAll(`${key.keys} ${key.does}`)) }
}

const namesOfOne = ({ name, aliases = [] }: Command): string => [name, ...aliases].join(' ')

const textOf = (command: Command): string =>
  [
    namesOfOne(command),
    command.summary,
    ...[...command.arguments, ...command.flags].map(({ name, about }) => `${name} ${about}`),
  ].join(' ')

function nothingFound(words: string, commands: readonly Command[], kind: CallerKind): Refusal {
  const slash = kind === 'session' ? '/' : ''
  const near = closest(words, namesOf(commands))
  const hint = near ? `did you mean ${slash}${near}?` : `${slash}help lists the commands`
  return new Refusal(`no command and no key has "${words.slice(0, 40)}"; ${hint}`)
}
