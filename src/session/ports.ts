/**
 * session/ is one person's terminal: it decodes keys, edits the line that is typed, and draws what is delivered.
 *
 * It must not know SSH, which brings the terminal, nor commands, models and storage, which are behind the host. Both
 * sides are interfaces in this file: what carries a session implements `Terminal` and calls a `ClientHandler`; the
 * server implements `ClientHandler` and `SessionHost`. `runSession` in session.ts joins a terminal with a host.
 */
import type { Entry, ToolCallEntry } from '../chat/entry.ts'
import type { Fingerprint, Person } from '../chat/people/person.ts'
import type { Participant } from '../chat/ports.ts'
import type { PersonalMessage } from '../chat/talk/direct-messages.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import type { Account } from '../lib/jobs/scheduler.ts'
import type { Styled } from '../lib/text/styled.ts'
import type { DrawingStyle } from './drawing/theme.ts'
import type { StreamedReply } from './drawing/streamed-reply.ts'

/** Somebody's terminal, whatever carries it. Text in, text out; the carrier encodes UTF-8. */
export interface Terminal {
  /** Bytes as they were typed or pasted, cut anywhere. Ends when the person is gone. */
  readonly input: AsyncIterable<Uint8Array>
  /** Queues text; never throws. False when the queue is full and the text was dropped. */
  write(text: string): boolean
  /** Calls `listener` once the client has read all that was queued by now; never if it goes away first. */
  whenRead(listener: () => void): void
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
  /** Environment that the client sent and we accept: `LANG`, `TZ`, `NO_COLOR`, `COLORTERM`, `SSHAWL_*`. */
  readonly env: Readonly<Record<string, string>>
  /** Sends what is queued, then the exit status, then closes. Only the first call counts. */
  end(exitStatus: number): void
}

/** The streams of one command run as `ssh host VERB …`. */
export interface ExecPipe {
  /** What the client sends, until its end of file or until it is gone. May be left unread. */
  readonly stdin: AsyncIterable<Uint8Array>
  /**
   * Standard output. The text is queued at once, in the order of the calls. Resolves when there is space for more: await
   * it. Never rejects; what comes after the client left is dropped.
   */
  out(text: string): Promise<void>
  /** Standard error; otherwise like `out`. */
  err(text: string): Promise<void>
  /** Aborted when the client is gone, interrupts (^C with a pty), or the server stops. */
  readonly signal: AbortSignal
  /** Aborted when the server is going to stop: what serves without end is to begin nothing new. Others have time until `signal`. */
  readonly draining: AbortSignal
  /** As in `Terminal`. */
  readonly env: Readonly<Record<string, string>>
}

/** A public key whose owner proved to have the private half. */
export interface OfferedKey {
  readonly fingerprint: Fingerprint
  /** Its type in SSH's words: `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa`, `sk-ssh-ed25519@openssh.com`. */
  readonly algorithm: string
  /** A certificate that the operator trusts came with it, and it is for the name that was asked for. */
  readonly isCertified?: true
  /** When that certificate ends, in milliseconds since the epoch. */
  readonly certifiedUntil?: number
  /** What the client may offer if this key is refused: other keys, or also a certificate. Absent if nothing. */
  readonly mayFollow?: 'keys' | 'certificate'
}

/** What the server does for a client. Whatever listens for connections calls `identify` first, then the others. */
export interface ClientHandler {
  /**
   * The person behind a key. Called only once the key's signature is verified; `name` is the login name as it came,
   * any text but for an invite code, which is `code`; `address` is the peer's. Throws `Refusal` if this key may not log in
   * under this name. The client then learns only that it was denied; of an `InviteRefusal`, whether a code would let it in,
   * and, where its code is right, why it cannot have the name. Of a `StorageError` it is told the message, and it is not
   * served.
   */
  identify(name: string, key: OfferedKey, address: string, code?: string): Promise<Person>
  /**
   * Somebody is connected, whether or not anything runs: `hangUp` closes the connection once what runs on it has ended, and may
   * be called as long as the function returned was not.
   */
  connected?(person: Person, hangUp: () => void): () => void
  /** On how many servers this person, key or network is, this one included; absent where there are no others. */
  servers?(kind: 'person' | 'key' | 'network', id: string): number
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
  /** What is running now, in the order in which it is to be read. */
  readonly running: readonly RunningWork[]
  /** The numbers of the questions that wait for an answer which this person may give. */
  readonly questions: readonly number[]
  /** The other questions, and who may answer: somebody's name, or `an admin`. */
  readonly othersQuestions: readonly { readonly number: number; readonly waitsFor: string }[]
  readonly viewer: StatusViewer
}

/** For whom a status line is. */
interface StatusViewer {
  readonly name: string
  /** False for whoever stops only what they asked for themself. */
  readonly stopsAll: boolean
}

/** A model's turn, or a tool that somebody runs. */
export interface RunningWork {
  /** No other has it. */
  readonly id: string
  /** `@qwen`, or the name of the person who runs a tool. */
  readonly who: string
  /** `thinking`, or the name of a tool; `waiting` for a turn that has not begun. */
  readonly doing: string
  /** How far that tool is, as it says. */
  readonly progress?: ToolProgress | undefined
  /** For how long, ready to print. */
  readonly time: string
  /** Who asked for it. */
  readonly requester: string
}

/** What stands below all that was said, above the draft. Equal for all sessions of a room that look the same. */
export interface RoomFooter {
  /** The replies being written. */
  readonly replies: readonly StreamedReply[]
  /** What was shown of a recorded reply while it was written (`Replies.of`). */
  readonly replyOf: (entry: Entry) => StreamedReply | undefined
  /** How far a call is that waits for its result, as its tool says. */
  readonly progressOf?: (call: ToolCallEntry) => ToolProgress | undefined
  /** The status line as one row; empty where there is none. */
  readonly status: string
}

/** The look of a text: that of all errors and refusals, or that of what matters less. */
export type PrintRole = 'error' | 'dim'

/** What an entry is to the person, besides what it says. */
export interface Delivery {
  /** It was recorded before the person came, so it does not ring. */
  readonly isPast?: true
  /** It is a question that waits for an answer, which this person may give. */
  readonly waits?: true
}

/** What a host can show in a session. No method throws or blocks. */
export interface Screen extends Omit<Participant, 'stream' | 'deliver'> {
  /** As for any participant. */
  deliver(entry: Entry, how?: Delivery): void
  /** Text for this person only, such as the output of a command. May have many lines. */
  print(text: string | Styled, role?: PrintRole): void
  /** A message between two people. With `onRead` it is not skipped, and that is called once the client has read it. */
  message(message: PersonalMessage, onRead?: () => void): void
  /** Shows a command that the person typed above what it prints, where their typing does not stand there already. */
  echo(line: string): void
  /** Draws the screen anew, with nothing on it of what was said. */
  clear(): void
  /** The footer has changed. */
  refresh(): void
  /** Rings, where the terminal can: somebody waits for this person. */
  bell(): void
  /** The person is put out of the room: the lines that wait are dropped. To be called before the next room is entered. */
  kicked(): void
  /** Prints `farewell` and ends the session with this status: 0 when absent, 1 for somebody who is sent away. */
  quit(farewell?: string, exitStatus?: 0 | 1): void
}

/** What somebody typed before a session, or had typed when it ended and was neither said nor done. */
export interface SavedInput {
  /** Oldest first. */
  readonly lines: readonly string[]
  /** What was being typed as the session ended; empty for nothing. */
  readonly draft: string
}

/**
 * What a session needs of the server, for one person. The session tells the person of a method that rejects, and goes
 * on; the message of a `Refusal` is shown, any other error is logged.
 */
export interface SessionHost {
  /** Brings the screen into its room. From then on the room delivers to it. If it rejects, the session ends. */
  attach(screen: Screen): Promise<void>
  /** Takes the screen out of its room, and keeps what was not sent. Called once, also when `attach` rejected. */
  detach(unsent: SavedInput): Promise<void>
  /** What the person typed in earlier sessions. Called once, before the first key is read. */
  savedInput(): Promise<SavedInput>
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
  /** What runs in the room now, for those who are not shown the status. Cheap. Never throws. */
  running(): readonly RunningWork[]
  /** ^X: stops what is running in the room, if this person may. */
  stop(): Promise<void>
}
