import type { Person } from '../words/person.ts'
import { emojiBeginning } from '../chat/talk/index.ts'
import type { Room } from '../chat/index.ts'
import type { Turns } from '../turns/index.ts'
import {
  type ArgumentSpec,
  type Command,
  type CompletionContext,
  type FlagSpec,
  isCalled,
} from './command.ts'
import { classifyLine, flagsFor, spelled } from './parse.ts'

/** Resolves to whole words in a stable order. `word` is the end of the text before the cursor. */
export type CompleteWord = (
  textBeforeCursor: string,
  word: string,
  room: Room,
  person: Person,
) => Promise<readonly string[]>

/**
 * Completes commands after a slash, arguments and flag values after a command, people and models in speech. A
 * person's name at the beginning gets a colon. `:tada` becomes an emoji everywhere.
 */
export function createCompletion(
  commands: readonly Command[],
  { personas }: Pick<Turns, 'personas'>,
): CompleteWord {
  return async (text, word, room, person) => {
    if (/^:[\w+-]/.test(word)) return emojiBeginning(word)
    const all = new Set(await candidates(text, word, room, person))
    return [...all].filter((one) => begins(one, word)).toSorted()
  }

  async function candidates(
    text: string,
    word: string,
    room: Room,
    person: Person,
  ): Promise<readonly string[]> {
    const { kind, rest } = classifyLine(text)
    if (kind !== 'command') return await namesToSay(text, word, room, person)
    const verb = /^(\S+)\s/.exec(rest)?.[1]
    if (verb === undefined) return commands.map((command) => `/${command.name}`)
    const command = commands.find((one) => isCalled(one, verb.toLowerCase()))
    const words = rest
      .slice(verb.length, rest.length - word.length)
      .split(/\s+/)
      .filter(Boolean)
    if (word.startsWith('@')) {
      const isModel = command && argumentAt(command, positional(command, words).length)?.name === 'model'
      const names = isModel ? personas.namesIn(room.name) : mentionable(room)
      return (await names).map((name) => `@${name}`)
    }
    return command ? await argumentsOf(command, words, { room, person, word }) : []
  }

  /** Returns the names of people, and the names of models with an `@`. */
  async function namesToSay(
    text: string,
    word: string,
    room: Room,
    person: Person,
  ): Promise<readonly string[]> {
    if (word.startsWith('@')) return (await mentionable(room)).map((name) => `@${name}`)
    if (word === '') return []
    const others = room.present().filter(({ id }) => id !== person.id)
    const people = others.map(({ name }) => (text === word ? `${name}:` : name))
    if (text !== word) return people
    return [...people, ...(await personas.namesIn(room.name)).map((name) => `@${name}`)]
  }

  async function mentionable(room: Room): Promise<readonly string[]> {
    return [...(await personas.namesIn(room.name)), ...room.present().map((person) => person.name)]
  }
}

/** True if `choice` begins with `word`, also without its `@`: `qw` may become `@qwen`. */
function begins(choice: string, word: string): boolean {
  const [one, wanted] = [choice.toLowerCase(), word.toLowerCase()]
  return one.startsWith(wanted) || (wanted !== '' && one.startsWith(`@${wanted}`))
}

async function argumentsOf(
  command: Command,
  words: readonly string[],
  where: Omit<CompletionContext, 'given'>,
): Promise<readonly string[]> {
  const { word } = where
  const given = positional(command, words)
  const flags = flagsFor(command, 'session')
    .filter((flag) => flag.repeats === true || !words.includes(spelled(flag)))
    .map(spelled)
  if (word.startsWith('-')) return flags
  const flag = flagOf(command, words.at(-1))
  if (flag?.value !== undefined) return await command.complete(flag.name, { ...where, given })
  const argument = argumentAt(command, given.length)
  if (!argument) return given.length > 0 ? [] : flags
  const choices = argument.oneOf ?? (await command.complete(argument.name, { ...where, given }))
  const open = choices.filter((one) => !given.includes(one))
  return open.length > 0 || given.length > 0 || argument.takes === 'rest' ? open : flags
}

function positional(command: Command, words: readonly string[]): readonly string[] {
  return words.filter(
    (word, index) =>
      word !== '--' && !flagOf(command, word) && flagOf(command, words[index - 1])?.value === undefined,
  )
}

const flagOf = ({ flags }: Command, word: string | undefined): FlagSpec | undefined =>
  flags.find((flag) => spelled(flag) === word)

/** Returns the argument of the next word. Only the first word of a free text can be completed. */
function argumentAt({ arguments: wanted }: Command, position: number): ArgumentSpec | undefined {
  const argument = wanted[position]
  if (argument) return argument
  const last = wanted.at(-1)
  return last?.takes === 'words' || (last?.takes === 'rest' && wanted.length === 1) ? last : undefined
}
