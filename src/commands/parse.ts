import { UsageError } from '../words/errors.ts'
import { closest } from '../base/suggest.ts'
import { takeWord } from '../base/text/words.ts'
import {
  ALL_ROOMS,
  type ArgumentSpec,
  type ArgumentValue,
  type CallerKind,
  type Command,
  type FlagSpec,
  type FlagValue,
  type Values,
} from './command.ts'

export interface EnteredLine {
  readonly kind: 'nothing' | 'command' | 'speech' | 'blank-before-slash'
  /** The verb and the text after it, or the speech; empty for the other kinds. */
  readonly rest: string
}

/**
 * `/verb …` is a command; everything else is said in the room. A text with a leading slash is said with two:
 * `//etc is full`. A line with a space before the slash is neither: ssh-chat and IRC clients say it, but a
 * slip must not show a private message to the room.
 */
export function classifyLine(line: string): EnteredLine {
  if (line.trim() === '') return { kind: 'nothing', rest: '' }
  if (BLANK_BEFORE_SLASH.test(line)) return { kind: 'blank-before-slash', rest: '' }
  if (!line.startsWith('/')) return { kind: 'speech', rest: line }
  return { kind: line.startsWith('//') ? 'speech' : 'command', rest: line.slice(1) }
}

/** Includes invisible characters, which are often copied too. */
const BLANK_BEFORE_SLASH = /^[\s\p{C}]+\//u

/** True if a session can run the command with these words. */
export function canParse(command: Command, words: string): boolean {
  try {
    return parseArguments(command, words, 'session') !== undefined
  } catch {
    return false
  }
}

/** A line's words, by the command's declared arguments and flags. */
export interface Parsed extends Values {
  /** The room that a script named, or `ALL_ROOMS`, which a session may name too. */
  readonly roomName: string | undefined
}

/**
 * Splits the text after the verb at spaces; quotes have no meaning. The command's flags come before a text
 * argument, which takes the rest of the line verbatim; `--` ends the flags. Throws `UsageError`.
 */
export function parseArguments(command: Command, line: string, kind: CallerKind): Parsed {
  const wanted = [...roomArgument(command, kind), ...command.arguments]
  const given = new Map<ArgumentSpec | FlagSpec, string[]>()
  let position = 0
  let flagsAreOver = false
  let left = line.trimStart()

  while (left !== '') {
    const { word, rest } = takeWord(left)
    const flag = flagsAreOver ? undefined : command.flags.find((one) => word === spelled(one))
    if (word === '' && wanted[position]?.takes !== 'rest') {
      // Here a line end separates words, like a space; within a text argument it belongs to the text.
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
  const missing = wanted.find((one) => isNeeded(one) && !given.has(one))
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
    if (flag.insteadOfRoom && wanted[0] === OPTIONAL_ROOM && position === 0) wanted.shift()
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

  /** Refuses a text that begins with a misspelt flag or, as the first argument, with any word like a flag. */
  function checkTextStart(argument: ArgumentSpec, word: string): void {
    if (command.flags.length === 0 || !/^--[a-z]/i.test(word)) return
    const near = closest(word, command.flags.map(spelled))
    if (near !== undefined) throw wrong(`unknown flag ${word}; did you mean ${near}?`)
    if (argument !== command.arguments[0]) return
    const shown = word.slice(0, 40)
    throw wrong(`unknown flag ${shown}; before a text that begins so, write --, as in -- ${shown}`)
  }

  function wrong(problem: string): UsageError {
    return usageError(command, kind, problem)
  }
}

/** Throws `UsageError` if an argument is not one of its `oneOf` words. */
export function checkChoices(command: Command, args: Values['args'], kind: CallerKind): void {
  for (const { name, oneOf } of command.arguments) {
    const word = args[name]
    if (!oneOf || typeof word !== 'string' || oneOf.includes(word)) continue
    const isCount = /^\d{1,6}$/.test(word) && command.flags.some((flag) => flag.name === 'n')
    const count = isCount ? `; -n ${word} says how many` : ''
    throw usageError(command, kind, `${eitherOf(oneOf)}, not ${word.slice(0, 40)}${count}`)
  }
}

/** Returns `on`, `on or off` or `on, off or dim`. */
const eitherOf = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ')

const ROOM: ArgumentSpec = { name: 'room', about: 'a room' }
const OPTIONAL_ROOM: ArgumentSpec = { ...ROOM, optional: true }
/** In a session, accepts only `ALL_ROOMS`; any other word is the next argument. */
const EVERY_ROOM: ArgumentSpec = { ...ROOM, optional: true }
const ROOMS: readonly ArgumentSpec[] = [ROOM, OPTIONAL_ROOM, EVERY_ROOM]

function roomArgument({ room }: Command, kind: CallerKind): readonly ArgumentSpec[] {
  if (room === 'none') return []
  if (kind === 'session') return room === 'here-or-all' ? [EVERY_ROOM] : []
  return [room === 'optional' ? OPTIONAL_ROOM : ROOM]
}

const argumentValue = ({ takes, usual }: ArgumentSpec, words: readonly string[] = []): ArgumentValue =>
  takes === 'words' ? words : (words[0] ?? usual)

function flagValue({ value, repeats }: FlagSpec, words: readonly string[] = []): FlagValue {
  if (repeats) return words
  return value ? words.at(-1) : words.length > 0
}

const isFlagLike = (word: string): boolean => /^--?[a-z]/i.test(word)

/** A command with values from code instead of typed words. An omitted value is like an untyped one. */
export interface Invocation {
  /** The command's name, not an alias. */
  readonly verb: string
  /** For a command that takes a room: its name, or `ALL_ROOMS`. */
  readonly room?: string
  readonly args?: Values['args']
  readonly flags?: Values['flags']
}

/** Throws `TypeError` for an undeclared or a missing value. */
export function parsedInvocation(command: Command, { room, args = {}, flags = {} }: Invocation): Parsed {
  const known = new Set([...command.arguments, ...command.flags].map(({ name }) => name))
  const strange = [...Object.keys(args), ...Object.keys(flags)].find((name) => !known.has(name))
  if (strange !== undefined) throw new TypeError(`${command.name} has no ${strange}`)
  const missing = command.arguments.find((one) => isNeeded(one) && args[one.name] === undefined)
  if (missing) throw new TypeError(`${command.name} needs ${missing.name}`)
  return {
    roomName: room,
    args: Object.fromEntries(
      command.arguments.map((one) => [one.name, args[one.name] ?? argumentValue(one)]),
    ),
    flags: Object.fromEntries(command.flags.map((one) => [one.name, flags[one.name] ?? flagValue(one)])),
  }
}

/** `tools ROOM [--list PATTERN] [--json] [SCOPE…]`, as help and usage errors show it. */
export function usage(command: Command, kind: CallerKind): string {
  const verb = kind === 'session' ? `/${command.name}` : command.name
  const flags = flagsFor(command, kind).map(
    (flag) => `[${spelled(flag)}${flag.value ? ` ${flag.value}` : ''}]`,
  )
  const words = command.arguments.map((one) =>
    bracketOptional(one, `${one.name.toUpperCase()}${one.takes ? '…' : ''}`),
  )
  const room = roomArgument(command, kind).map((one) =>
    bracketOptional(one, one === EVERY_ROOM ? ALL_ROOMS : 'ROOM'),
  )
  return [verb, ...room, ...flags, ...words].join(' ')
}

export const flagsFor = ({ flags }: Command, kind: CallerKind): readonly FlagSpec[] =>
  kind === 'session' ? flags.filter((flag) => !flag.forScripts) : flags

const isNeeded = ({ optional, usual }: ArgumentSpec): boolean => !optional && usual === undefined

const bracketOptional = (one: ArgumentSpec, word: string): string => (isNeeded(one) ? word : `[${word}]`)

/** Returns the error for words that do not fit a command, with the usage line of `form`. */
export const usageError = (command: Command, kind: CallerKind, problem: string, form = command): UsageError =>
  new UsageError(`${command.name}: ${problem}`, usage(form, kind))

export const spelled = ({ name }: FlagSpec): string => (name.length === 1 ? `-${name}` : `--${name}`)
