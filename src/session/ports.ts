/**
 * session/ is one person's terminal: it decodes keys, edits the line that is typed, and draws what is
 * delivered. It must not know SSH, which brings the terminal, nor commands, models and storage, which are
 * behind the host. "Units" in names are UTF-16 units; points in time are milliseconds since the epoch.
 */
import type { Entry, ToolCallEntry } from '../chat/entry.ts'
import type { Fingerprint, Person } from '../chat/people/person.ts'
import type { Participant } from '../chat/ports.ts'
import type { PersonalMessage } from '../chat/talk/direct-messages.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import type { FileTree } from '../lib/file-tree.ts'
import type { Account } from '../lib/jobs/scheduler.ts'
import type { Styled } from '../lib/text/styled.ts'
import type { DrawingStyle } from './drawing/theme.ts'
import type { StreamedReply } from './drawing/streamed-reply.ts'

/** Text in, text out; the carrier encodes UTF-8. */
export interface Terminal {
  /** Cut anywhere. Ends when the person is gone. */
  readonly input: AsyncIterable<Uint8Array>
  /** Queues text; never throws. False when the queue is full and the text was dropped. */
  write(text: string): boolean
  /** Calls `listener` once the client has read all that was queued by now; never if it goes away first. */
  whenRead(listener: () => void): void
  /** Called when the queue is empty again after something was dropped. */
  onDrain(listener: () => void): void
  /** Aborted when the person is gone or the server stops. */
  readonly gone: AbortSignal
  /** In cells. Undefined without a pty. */
  size(): { readonly columns: number; readonly rows: number } | undefined
  onResize(listener: () => void): void
  readonly term: string
  /** `LANG`, `TZ`, `NO_COLOR`, `COLORTERM` and `SSHAWL_*`, if the client sent them. */
  readonly env: Readonly<Record<string, string>>
  /** Sends what is queued, then the exit status. Only the first call counts. */
  end(exitStatus: number): void
}

/** The streams of one command run as `ssh host VERB …`. */
export interface ExecPipe {
  /** May be left unread. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Queues the text in the order of the calls. Resolves when there is space for more; never rejects. */
  out(text: string): Promise<void>
  err(text: string): Promise<void>
  /** Aborted when the client is gone or interrupts (^C with a pty), or the server stops. */
  readonly signal: AbortSignal
  /** Aborted before `signal`: what serves without end begins nothing new. */
  readonly draining: AbortSignal
  readonly env: Readonly<Record<string, string>>
}

/** A public key whose owner proved to have the private half. */
export interface OfferedKey {
  readonly fingerprint: Fingerprint
  /** In SSH's words, such as `ssh-ed25519`. */
  readonly algorithm: string
  /** With a certificate that the operator trusts, for the name that was asked for. */
  readonly isCertified?: true
  readonly certifiedUntil?: number
  /** What the client may offer if this key is refused. */
  readonly mayFollow?: 'keys' | 'certificate'
}

/** `identify` is called first. */
export interface ClientHandler {
  /**
   * Called once the key's signature is verified, with the login name as it came. Throws `Refusal`, of which
   * the client learns only that it was denied (of an `InviteRefusal` also why), or `StorageError`, whose
   * message is told.
   */
  identify(name: string, key: OfferedKey, address: string, code?: string): Promise<Person>
  /** Returns what to call at the connection's end. `hangUp` closes it once what runs on it has ended. */
  connected?(person: Person, hangUp: () => void): () => void
  /** This one included; absent if there are no others. */
  servers?(kind: 'person' | 'key' | 'network', id: string): number
  /** The room that a command opens a session in if it comes with a pty, as `join NAME` does. */
  roomToOpen?(line: string): string | undefined
  /**
   * A session, or lines through a pipe; `room` is what `roomToOpen` gave. If it rejects, the caller tells the
   * person and ends the terminal.
   */
  shell(person: Person, terminal: Terminal, account: Account, room?: string): Promise<void>
  /** Resolves with the exit status, 0-255. If it rejects, the caller tells the person. */
  exec(person: Person, line: string, pipe: ExecPipe, account: Account): Promise<number>
  /** As `exec`: `serve` carries the files that the person may use; what comes in and goes out is its own. */
  files?(person: Person, pipe: ExecPipe, serve: ServeFiles): Promise<number>
}

/** Ends with the input, or soon after the signal is aborted. Paths are absolute and normal. */
export type ServeFiles = (files: FileTree, pipe: Pick<ExecPipe, 'err' | 'signal'>) => Promise<void>

export interface SessionStatus {
  readonly room: string
  /** The person included. */
  readonly people: number
  /** That can be mentioned here, without `@`. */
  readonly models: readonly string[]
  /** `all`, `none`, `internal` or patterns. Empty while it is not known. */
  readonly scope: string
  readonly tools: number
  /** The model that was asked last, and its prompt in percent of the window less the answer's tokens. */
  readonly lastTurn?: { readonly model: string; readonly percent: number }
  readonly running: readonly RunningWork[]
  /** That wait for an answer which this person may give. */
  readonly questions: readonly number[]
  /** `waitsFor`: somebody's name, `an op` or `an admin`. */
  readonly othersQuestions: readonly { readonly number: number; readonly waitsFor: string }[]
  /** The person's name if something runs for them; `^X` stops that. */
  readonly viewer: string
}

export interface RunningWork {
  readonly id: string
  /** `@qwen`, or the name of the person who runs a tool. */
  readonly who: string
  /** `thinking`, or the name of a tool; `waiting` for a turn that has not begun. */
  readonly doing: string
  readonly progress?: ToolProgress | undefined
  readonly time: string
  readonly requester: string
}

/** Equal for all sessions of a room that look the same. */
export interface RoomFooter {
  readonly replies: readonly StreamedReply[]
  /** What was shown of a recorded reply while it was written. */
  readonly replyOf: (entry: Entry) => StreamedReply | undefined
  readonly progressOf?: (call: ToolCallEntry) => ToolProgress | undefined
  readonly status: string
}

/** `heading`: a room's, as `-- NAME: TOPIC`. */
export type PrintRole = 'error' | 'dim' | 'heading'

export interface Delivery {
  readonly isPast?: true
  readonly waits?: true
}

/** No method throws or blocks. */
export interface Screen extends Omit<Participant, 'stream' | 'deliver'> {
  deliver(entry: Entry, how?: Delivery): void
  /** Text for this person only. */
  print(text: string | Styled, role?: PrintRole): void
  /** With `onRead` it is not skipped, and that is called once the client has read it. */
  message(message: PersonalMessage, onRead?: () => void): void
  /** Shows a command above what it prints, unless the typing stands there already. */
  echo(line: string): void
  /** Draws the screen anew, empty. */
  clear(): void
  refresh(): void
  bell(): void
  /** Drops the lines that wait; to be called before the next room is entered. */
  kicked(): void
  /** Ends the session, with status 1 for somebody who is sent away. */
  quit(farewell?: string, exitStatus?: 0 | 1): void
}

/** What was typed and not submitted. */
export interface SavedInput {
  readonly lines: readonly string[]
  readonly draft: string
}

/** The person is told of a method that rejects; the session goes on. */
export interface SessionHost {
  /** From then on the room delivers to the screen. If it rejects, the session ends. */
  attach(screen: Screen): Promise<void>
  /** Called once, also if `attach` rejected. */
  detach(unsent: SavedInput): Promise<void>
  /** Called once, before the first key is read. */
  savedInput(): Promise<SavedInput>
  /** Called for one line after the other. */
  submit(line: string): Promise<void>
  /** What could stand for `word`, the end of the text, in a stable order. */
  complete(textBeforeCursor: string, word: string): Promise<readonly string[]>
  /** Cheap: asked at each painting. Never throws. */
  footer(style: DrawingStyle): RoomFooter
  /** As `footer`, for views without a status line. */
  running(): readonly RunningWork[]
  stop(): Promise<void>
}
