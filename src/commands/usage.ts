import { UsageError } from '../chat/errors.ts'
import type { CallerKind } from './caller.ts'
import { ALL_ROOMS, type Command, type FlagSpec } from './define.ts'

/** `tools ROOM [--list PATTERN] [--json] [SCOPE…]`, as help and usage errors show it. */
export function usage(command: Command, kind: CallerKind): string {
  const verb = kind === 'session' ? `/${command.name}` : command.name
  const flags = command.flags.map((flag) => `[${spelled(flag)}${flag.value ? ` ${flag.value}` : ''}]`)
  const words = command.arguments.map((one) => {
    const shown = `${one.name.toUpperCase()}${one.takes ? '…' : ''}`
    return one.optional ? `[${shown}]` : shown
  })
  return [verb, ...roomWord(command, kind), ...flags, ...words].join(' ')
}

function roomWord({ room }: Command, kind: CallerKind): readonly string[] {
  if (room === 'none') return []
  if (kind === 'session') return room === 'here-or-all' ? [`[${ALL_ROOMS}]`] : []
  return [room === 'optional' ? '[ROOM]' : 'ROOM']
}

/**
 * Thrown by a command whose words do not fit: `problem` says why. The runner adds the command's name and its form; or
 * the form of the command called `verb`, where that one is to be used instead.
 */
export class Misuse extends Error {
  override readonly name = 'Misuse'
  readonly verb: string | undefined
  constructor(problem: string, verb?: string) {
    super(problem)
    this.verb = verb
  }
}

/** The error for words that do not fit a command; its form is that of the definition, or of another command's. */
export const misuse = (command: Command, kind: CallerKind, problem: string, form = command): UsageError =>
  new UsageError(`${command.name}: ${problem}`, usage(form, kind))

/** A flag as it is typed: `-n`, `--json`. */
export const spelled = ({ name }: FlagSpec): string => (name.length === 1 ? `-${name}` : `--${name}`)
