import { UsageError } from '../chat/errors.ts'
import { takeWord } from '../lib/words.ts'
import { usage, type Call, type Caller, type Command, type Flag, type Parameter } from './command.ts'

/** A line's words, sorted into what the command asked for. */
export type Parsed = Pick<Call, 'args' | 'flags'> & { readonly roomName?: string }

/**
 * Splits what follows the verb at spaces; quotes mean nothing. Only the command's own flags are flags, and they
 * stand before a text parameter, which takes the rest of the line as it is; `--` ends them. Throws `UsageError`.
 */
export function parse(command: Command, line: string, caller: Caller): Parsed {
  const wanted = [...roomParameter(command, caller), ...(command.parameters ?? [])]
  const args: Record<string, string> = {}
  const flags: Record<string, string | true> = {}
  let flagsAreOver = false
  let left = line.trimStart()

  while (left !== '') {
    const { word, rest } = takeWord(left)
    const flag = flagsAreOver ? undefined : findFlag(command, word)
    if (word === '' && wanted[0]?.takes !== 'rest') {
      // A line end, which parts words as a space does; in a text it is the text's own.
      left = rest.slice(1)
    } else if (word === '--' && !flagsAreOver) {
      flagsAreOver = true
      left = rest
    } else if (flag) {
      left = takeFlag(flag, rest)
    } else {
      left = takeParameter(word, rest)
    }
  }
  const missing = wanted.find((parameter) => !parameter.optional && args[parameter.name] === undefined)
  if (missing) throw misuse(`${missing.name.toUpperCase()} is missing`)
  const { [ROOM.name]: roomName, ...own } = args
  return { args: own, flags, ...(roomName === undefined ? {} : { roomName }) }

  function takeFlag(flag: Flag, after: string): string {
    if (!flag.value) {
      flags[flag.name] = true
      return after
    }
    const { word, rest } = takeWord(after)
    if (word === '') throw misuse(`${spelled(flag)} needs ${flag.value}`)
    const before = flag.repeats && flags[flag.name]
    flags[flag.name] = before ? `${before} ${word}` : word
    return rest
  }

  function takeParameter(word: string, after: string): string {
    const parameter = wanted[0]
    if (!parameter || (isFlagLike(word) && !flagsAreOver && parameter.takes !== 'rest')) {
      throw misuse(isFlagLike(word) ? `unknown flag ${word}` : `"${word}" is one word too many`)
    }
    if (parameter.takes === 'rest') {
      args[parameter.name] = left
      return ''
    }
    if (parameter.takes !== 'words') wanted.shift()
    args[parameter.name] = parameter.takes && args[parameter.name] ? `${args[parameter.name]} ${word}` : word
    return after
  }

  function misuse(problem: string): UsageError {
    return new UsageError(`${command.name}: ${problem}`, usage(command, caller))
  }
}

const ROOM: Parameter = { name: 'room' }

function roomParameter(command: Command, caller: Caller): readonly Parameter[] {
  if (caller === 'session' || !command.room) return []
  return [command.room === 'optional' ? { ...ROOM, optional: true } : ROOM]
}

const findFlag = (command: Command, word: string): Flag | undefined =>
  command.flags?.find((flag) => word === spelled(flag))

const spelled = (flag: Flag): string => (flag.name.length === 1 ? `-${flag.name}` : `--${flag.name}`)

const isFlagLike = (word: string): boolean => /^--?[a-z]/i.test(word)
