import { closest } from '../lib/suggest.ts'
import { takeWord } from '../lib/text/words.ts'
import type { CallerKind } from './caller.ts'
import {
  ALL_ROOMS,
  type ArgumentSpec,
  type ArgumentValue,
  type Command,
  type FlagSpec,
  type FlagValue,
  type Values,
} from './define.ts'
import { misuse, spelled } from './usage.ts'

/** A line's words, sorted into what the command declared. */
export interface Parsed extends Values {
  /** The room that a script named, or `ALL_ROOMS`, which a session may name too. */
  readonly roomName: string | undefined
}

/**
 * Splits what follows the verb at spaces; quotes mean nothing. Only the command's own flags are flags, and they
 * stand before a text argument, which takes the rest of the line as it is; `--` ends them. Throws `UsageError`.
 */
export function parse(command: Command, line: string, kind: CallerKind): Parsed {
  const wanted = [...roomArgument(command, kind), ...command.arguments]
  const given = new Map<ArgumentSpec | FlagSpec, string[]>()
  let position = 0
  let flagsAreOver = false
  let left = line.trimStart()

  while (left !== '') {
    const { word, rest } = takeWord(left)
    const flag = flagsAreOver ? undefined : command.flags.find((one) => word === spelled(one))
    if (word === '' && wanted[position]?.takes !== 'rest') {
      // Here a line end separates words, as a space does. Within a text argument it belongs to the text.
      left = rest.slice(1)
    } else if (word === '--' && !flagsAreOver) {
      flagsAreOver = true
      left = rest
    } else if (flag) {
      left = takeFlag(flag, rest)
    } else {
      left = takeArgument(word, rest)
    }
  }
  const missing = wanted.find((one) => !one.optional && !given.has(one))
  if (missing) throw wrong(`${missing.name.toUpperCase()} is missing`)
  const args = command.arguments.map((one) => [one.name, argumentValue(one, given.get(one))] as const)
  const flags = command.flags.map((one) => [one.name, flagValue(one, given.get(one))] as const)
  return {
    roomName: ROOMS.map((room) => given.get(room)?.[0]).find((name) => name !== undefined),
    args: Object.fromEntries(args),
    flags: Object.fromEntries(flags),
  }

  function give(spec: ArgumentSpec | FlagSpec, word: string): void {
    const words = given.get(spec)
    if (words) words.push(word)
    else given.set(spec, [word])
  }

  function takeFlag(flag: FlagSpec, after: string): string {
    const { word, rest } = flag.value ? takeWord(after) : { word: flag.name, rest: after }
    if (word === '') throw wrong(`${spelled(flag)} needs ${flag.value}`)
    give(flag, word)
    return rest
  }

  function takeArgument(word: string, after: string): string {
    if (wanted[position] === EVERY_ROOM && word !== ALL_ROOMS) position++
    const argument = wanted[position]
    if (!argument || (isFlagLike(word) && !flagsAreOver && argument.takes !== 'rest')) {
      throw wrong(isFlagLike(word) ? `unknown flag ${word}` : `"${word}" is one word too many`)
    }
    if (argument.takes === 'rest' && !flagsAreOver) checkTextStart(argument, word)
    if (argument.takes !== 'words') position++
    give(argument, argument.takes === 'rest' ? left : word)
    return argument.takes === 'rest' ? '' : after
  }

  /** What looks like a flag is hardly meant as text: it is near one, or the line says nothing before it. */
  function checkTextStart(argument: ArgumentSpec, word: string): void {
    if (command.flags.length === 0 || !/^--[a-z]/i.test(word)) return
    const near = closest(word, command.flags.map(spelled))
    if (near !== undefined) throw wrong(`unknown flag ${word}; did you mean ${near}?`)
    if (argument === command.arguments[0])
      throw wrong(
        `unknown flag ${word.slice(0, 40)}; a text that begins so stands after --, as in -- ${word.slice(0, 40)}`,
      )
  }

  function wrong(problem: string): Error {
    return misuse(command, kind, problem)
  }
}

/** Throws `UsageError` where an argument is none of the words that it can be. */
export function checkChoices(command: Command, args: Values['args'], kind: CallerKind): void {
  for (const { name, oneOf } of command.arguments) {
    const word = args[name]
    if (!oneOf || typeof word !== 'string' || oneOf.includes(word)) continue
    throw misuse(command, kind, `${eitherOf(oneOf)}, not ${word.slice(0, 40)}`)
  }
}

/** `on`, `on or off`, `on, off or dim`. */
const eitherOf = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ')

const ROOM: ArgumentSpec = { name: 'room', about: 'a room' }
const OPTIONAL_ROOM: ArgumentSpec = { ...ROOM, optional: true }
/** In a session, where any other word is no room but the next argument. */
const EVERY_ROOM: ArgumentSpec = { ...ROOM, optional: true }
const ROOMS: readonly ArgumentSpec[] = [ROOM, OPTIONAL_ROOM, EVERY_ROOM]

function roomArgument({ room }: Command, kind: CallerKind): readonly ArgumentSpec[] {
  if (room === 'none') return []
  if (kind === 'session') return room === 'here-or-all' ? [EVERY_ROOM] : []
  return [room === 'optional' ? OPTIONAL_ROOM : ROOM]
}

const argumentValue = ({ takes }: ArgumentSpec, words: readonly string[] = []): ArgumentValue =>
  takes === 'words' ? words : words[0]

function flagValue({ value, repeats }: FlagSpec, words: readonly string[] = []): FlagValue {
  if (repeats) return words
  return value ? words.at(-1) : words.length > 0
}

const isFlagLike = (word: string): boolean => /^--?[a-z]/i.test(word)
