import type { ArgumentValue, Command, FlagValue } from './define.ts'
import type { Parsed } from './parse.ts'

/** A command with its words, where nobody typed them. What is left out is as if it had not been written. */
export interface CommandUse {
  /** The command's name, and no other word for it. */
  readonly verb: string
  /** For a command that takes a room: its name, or `ALL_ROOMS`. */
  readonly room?: string
  readonly args?: Readonly<Record<string, ArgumentValue>>
  readonly flags?: Readonly<Record<string, FlagValue>>
}

/** As the parser would have read it. Throws `TypeError` for words that the command did not declare, or needs. */
export function usedAs(command: Command, { room, args = {}, flags = {} }: CommandUse): Parsed {
  const known = new Set([...command.arguments, ...command.flags].map(({ name }) => name))
  const strange = [...Object.keys(args), ...Object.keys(flags)].find((name) => !known.has(name))
  if (strange !== undefined) throw new TypeError(`${command.name} has no ${strange}`)
  const missing = command.arguments.find(({ name, optional }) => !optional && args[name] === undefined)
  if (missing) throw new TypeError(`${command.name} needs ${missing.name}`)
  return {
    roomName: room,
    args: Object.fromEntries(
      command.arguments.map(({ name, takes }) => [name, args[name] ?? (takes === 'words' ? [] : undefined)]),
    ),
    flags: Object.fromEntries(
      command.flags.map(({ name, value, repeats }) => [name, flags[name] ?? absent(value, repeats)]),
    ),
  }
}

const absent = (value: string | undefined, repeats: true | undefined): FlagValue => {
  if (repeats) return []
  return value === undefined ? false : undefined
}
