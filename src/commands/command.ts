import type { Room } from '../chat/room.ts'
import type { Person } from '../chat/person.ts'
import type { Styled } from '../lib/styled.ts'

/** Where a command's words go and come from, whether a session or a script runs it. */
export interface Output {
  /** One line for people, without its line end. Later lines of the text are kept as they are. */
  line(text: string | Styled): void
  /** Text as it is, for replies that stream. */
  write(text: string): void
  /** One line on standard error: what a script's author must know, but a reader of the output must not. */
  warn(text: string): void
  /** Cells in a line, for what is drawn. */
  readonly columns: number
}

/** What a command is given to do its work. */
export interface Call {
  readonly person: Person
  /** The room that a session is in, or that a script named; absent for commands that need none. */
  readonly room?: Room
  /** Positional parameters by name; absent where left out. */
  readonly args: Readonly<Record<string, string>>
  /** Flags by name, without dashes: `true` for switches. */
  readonly flags: Readonly<Record<string, string | true>>
  readonly out: Output
  /**
   * What the script piped in, as it came; absent in a session. `if-ready` does not wait for a pipe on which nothing
   * comes at once (a script's standard input may be a terminal that never ends). Throws `Refusal` when it is too long.
   */
  readonly stdin?: (patience: 'until-end' | 'if-ready') => Promise<string>
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
  /** Absent for scripts: what only a session can do. */
  readonly session?: SessionControl
}

/** What a command can do to the session it was typed in. */
export interface SessionControl {
  /** The room becomes the one that the session is in. */
  moveTo(room: Room): Promise<void>
  /** Says goodbye and ends the session. */
  quit(): void
}

/** Who runs a command: somebody in a session, or `ssh host VERB`. */
export type Caller = 'session' | 'script'

/** One positional parameter; `room` is a name that only the parser uses. */
export interface Parameter {
  readonly name: string
  readonly optional?: true
  /** `rest`: the rest of the line as it is, for text and JSON; `words`: all further words. Only for the last one. */
  readonly takes?: 'rest' | 'words'
}

/** A flag: `--json`, or `-n N` where it takes a value. */
export interface Flag {
  readonly name: string
  /** What its value is called in the usage line; absent for a switch. */
  readonly value?: string
  /** May be given again: its values are joined with a space. */
  readonly repeats?: true
}

/** One verb, the same in a session (`/tools`) and in a script (`ssh host tools`). */
export interface Command {
  readonly name: string
  /** One line for `help`. */
  readonly summary: string
  /** `here`: from a script the room comes first; `optional`: it may be left out. */
  readonly room?: 'here' | 'optional'
  readonly parameters?: readonly Parameter[]
  readonly flags?: readonly Flag[]
  /** Throws `Refusal` (exit 1) or `UsageError` (exit 2); resolves to nothing, or to false for exit 1. */
  run(call: Call): Promise<void | false>
}

/** The flag that most commands with a list have. */
export const JSON_FLAG: Flag = { name: 'json' }

/** `tools ROOM [--json] [SCOPE…]`, as help and usage errors show it. */
export function usage(command: Command, caller: Caller): string {
  const room = caller === 'script' && command.room ? (command.room === 'here' ? ['ROOM'] : ['[ROOM]']) : []
  const flags = (command.flags ?? []).map((flag) => {
    const dashes = flag.name.length === 1 ? `-${flag.name}` : `--${flag.name}`
    return flag.value ? `[${dashes} ${flag.value}]` : `[${dashes}]`
  })
  const parameters = (command.parameters ?? []).map((one) => {
    const shown = `${one.name.toUpperCase()}${one.takes ? '…' : ''}`
    return one.optional ? `[${shown}]` : shown
  })
  return [caller === 'session' ? `/${command.name}` : command.name, ...room, ...flags, ...parameters].join(
    ' ',
  )
}
