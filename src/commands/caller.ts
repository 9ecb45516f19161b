import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Styled } from '../lib/text/styled.ts'

/** Where a command's words go, whether a session or a script runs it. */
export interface Output {
  /** One line for people, without its line end. Later lines of the text are kept as they are. */
  line(text: string | Styled): void
  /** Text as it is, for replies that stream. */
  write(text: string): void
  /** One line on standard error: what a script's author must know, but a reader of the output must not. */
  warn(text: string): void
  /**
   * Resolves when there is space for more, or the caller is gone, and it is this caller's turn. A command that reads or
   * prints much awaits it between two pages, and makes the next one only then.
   */
  ready(): Promise<void>
  /** Cells in a line, for what is drawn. */
  readonly columns: number
}

/** What a command can know of and do to the session it was typed in. */
export interface SessionControl {
  /** The room that the session is in. */
  readonly room: Room
  /** False once the person was put out of the room. */
  isThere(): boolean
  /** The room becomes the one that the session is in. */
  moveTo(room: Room): Promise<void>
  /** Draws the screen anew, without what was said. */
  clear(): void
  /** Says goodbye and ends the session. */
  quit(): void
}

/** What a command can know of and do to the script that sent it, or to the agent that called it. */
export interface ScriptControl {
  /**
   * What the script piped in, as it came. `if-ready` does not wait for a pipe on which nothing comes at once (a script's
   * standard input may be a terminal that never ends). Throws `Refusal` when it is too long.
   */
  stdin(wait: 'until-end' | 'if-ready'): Promise<string>
  /** Does this once the command has its status: for what ends the connection that it came on. */
  afterwards(work: () => void): void
  /** Speaks MCP on the pipe until its input ends: what comes on it are an agent's calls from then on. Absent for an agent. */
  serveMcp?(): Promise<void>
  /** The agent whose call this is; absent for `ssh host VERB`. */
  readonly agent?: AgentControl
}

/** What a command can do for an agent, which is in as many rooms at once as it joins. */
export interface AgentControl {
  /** The agent is present in the room from then on. Rejects with `Refusal`, as `Room.enter` does. */
  enter(room: Room): Promise<void>
  /** And not any more. Throws `Refusal` where it is not there. */
  leave(room: Room): Promise<void>
}

/** Who runs a command: somebody in a session, `ssh host VERB`, or an agent, for which commands do what they do for a script. */
export interface Caller {
  readonly person: Person
  readonly out: Output
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
  /** Absent for scripts and agents. */
  readonly session?: SessionControl
  /** Absent in a session. */
  readonly script?: ScriptControl
}

/** Somebody in a session. */
export type SessionCaller = Caller & { readonly session: SessionControl }

/** Which of the two a caller is: the forms of a command differ. */
export type CallerKind = 'session' | 'script'

/** The kind of a caller. */
export const kindOf = ({ session }: Caller): CallerKind => (session ? 'session' : 'script')
