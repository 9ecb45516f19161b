/**
 * session/ is one person's terminal: it decodes keys, edits the line that is typed, and draws what is delivered.
 *
 * It must not know SSH, which brings the terminal, nor commands, models and storage, which are behind the host. Both
 * sides are interfaces in this file: what carries a session implements `Terminal` and calls a `ClientHandler`; the
 * server implements `ClientHandler` and `SessionHost`. `runSession` in session.ts joins a terminal with a host.
 */
import type { Fingerprint, Person } from '../chat/people/person.ts'
import type { Participant } from '../chat/ports.ts'
import type { Account } from '../lib/scheduler.ts'
import type { Styled } from '../lib/text/styled.ts'
import type { DrawingStyle } from './drawing/theme.ts'

/** Somebody's terminal, whatever carries it. Text in, text out; the carrier encodes UTF-8. */
export interface Terminal {
  /** Bytes as they were typed or pasted, cut anywhere. Ends when the person is gone. */
  readonly input: AsyncIterable<Uint8Array>
  /** Queues text; never throws. False when the queue is full and the text was dropped. */
  write(text: string): boolean
  /** Called when the queue is empty again after something was dropped. */
  onDrain(listener: () => void): void
  /** Aborted when the person is gone or the server stops. Lines that were not submitted by then are dropped. */
  readonly gone: AbortSignal
  /** Cells; changes with the window. Undefined without a pty. */
  size(): { readonly columns: number; readonly rows: number } | undefined
  /** Called after each change of the window's size. */
  onResize(listener: () => void): void
  /** The `TERM` of the pty, empty without one. */
  readonly term: string
  /** Environment that the client sent and we accept: `LANG`, `TZ`, `SSHAWL_*`. */
  readonly env: Readonly<Record<string, string>>
  /** Sends what is queued, then the exit status, then closes. Only the first call counts. */
  end(exitStatus: number): void
}

/** The streams of one command run as `ssh host VERB …`. */
export interface ExecPipe {
  /** What the client sends, until its end of file or until it is gone. May be left unread. */
  readonly stdin: AsyncIterable<Uint8Array>
  /**
   * Standard output. The text is queued at once, in the order of the calls. Resolves when there is room for more: await
   * it. Never rejects; what comes after the client left is dropped.
   */
  out(text: string): Promise<void>
  /** Standard error; otherwise like `out`. */
  err(text: string): Promise<void>
  /** Aborted when the client is gone, interrupts (^C with a pty), or the server stops. */
  readonly signal: AbortSignal
  /** As in `Terminal`. */
  readonly env: Readonly<Record<string, string>>
}

/** A public key whose owner proved to have the private half. */
export interface OfferedKey {
  readonly fingerprint: Fingerprint
  /** Its type in SSH's words: `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa`, `sk-ssh-ed25519@openssh.com`. */
  readonly algorithm: string
}

/** What the server does for a client. Whatever listens for connections calls `identify` first, then the others. */
export interface ClientHandler {
  /**
   * The person behind a key. Called only once the key's signature is verified; `name` is the login name as it came,
   * any text; `address` is the peer's. Throws `Refusal` if this key may not log in under this name. The client then
   * learns only that it was denied. Of a `StorageError` it is told the message, and it is not served.
   */
  identify(name: string, key: OfferedKey, address: string): Promise<Person>
  /**
   * One interactive session, or lines through a pipe. Resolves when it is over. If it rejects, the terminal is still
   * open: the caller logs the error, tells the person and ends the terminal. What it makes the server do is charged to
   * `account`, that of the connection.
   */
  shell(person: Person, terminal: Terminal, account: Account): Promise<void>
  /**
   * One command line as it came; resolves with the exit status, 0-255, and has told the person then what there is to
   * tell. If it rejects, the caller logs the error and tells the person that something went wrong.
   */
  exec(person: Person, line: string, pipe: ExecPipe, account: Account): Promise<number>
}

/** What the status line says. */
export interface SessionStatus {
  readonly room: string
  /** How many people are there, the person included. */
  readonly people: number
  /** Names of the models that can be mentioned here, without `@`. */
  readonly models: readonly string[]
  /** The tool scope in words: `all`, `none`, `internal`, patterns. Empty while it is not known. */
  readonly scope: string
  /** How many tools the scope lets through. */
  readonly tools: number
  /** Tokens of the room's last turn and the budget that it had. */
  readonly lastTurn?: { readonly used: number; readonly target: number }
  /** What is running now, ready to print: `@qwen thinking 3.2s`, `Grep`. */
  readonly running: readonly string[]
}

/** What stands below all that was said, above the draft. Equal for all sessions of a room that look the same. */
export interface RoomFooter {
  /** The rows of the replies being written. */
  readonly replies: readonly string[]
  /** The status line as one row; empty where there is none. */
  readonly status: string
}

/** What a host can show in a session. No method throws or blocks. */
export interface Screen extends Omit<Participant, 'stream'> {
  /** Text for this person only, such as the output of a command. May have many lines. */
  print(text: string | Styled): void
  /** The footer has changed. */
  refresh(): void
  /** Rings, where the terminal can: somebody waits for this person. */
  bell(): void
  /** Prints `farewell` and ends the session with this status: 0 when absent, 1 for somebody who is sent away. */
  quit(farewell?: string, exitStatus?: 0 | 1): void
}

/**
 * What a session needs of the server, for one person. The session tells the person of a method that rejects, and goes
 * on; the message of a `Refusal` is shown, any other error is logged.
 */
export interface SessionHost {
  /** Brings the screen into its room. From then on the room delivers to it. If it rejects, the session ends. */
  attach(screen: Screen): Promise<void>
  /** Takes the screen out of the room that it is in. Called once, also when `attach` rejected. */
  detach(screen: Screen): Promise<void>
  /**
   * Takes a line that the person entered: a command, or something said. Called for one line after the other, each once
   * the one before is done.
   */
  submit(line: string): Promise<void>
  /**
   * What could stand for `word`, with which the text before the cursor ends: whole words, `@name`, `/command`, in a
   * stable order.
   */
  complete(textBeforeCursor: string, word: string): Promise<readonly string[]>
  /** What stands below. Cheap: asked at each painting. Never throws. */
  footer(style: DrawingStyle): RoomFooter
  /** ^X: stops what is running in the room, if this person may. */
  stop(): Promise<void>
}
