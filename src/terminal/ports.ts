/**
 * terminal is one person's terminal: it decodes keys, edits the line that is typed, and draws what is
 * delivered. It must not know SSH, which brings the terminal, nor commands, models and storage, which are
 * behind the host. "Units" in names are UTF-16 units; points in time are milliseconds since the epoch.
 */
import type { Entry, RoomName, ToolCallEntry } from '../words/entry.ts'
import type { Fingerprint, Person } from '../words/person.ts'
import type { Participant } from '../chat/index.ts'
import type { PersonalMessage } from '../chat/talk/index.ts'
import type { ToolProgress } from '../words/tool-progress.ts'
import type { FileTree } from '../base/file-tree.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import type { StyledText } from '../base/text/styled.ts'
import type { DrawingStyle } from './drawing/theme.ts'
import type { StreamedReply } from './drawing/streamed-reply.ts'

/** Bytes in, text out. The implementation encodes the text as UTF-8. */
export interface Terminal {
  /** Chunks may be split anywhere. Ends when the person is gone. */
  readonly input: AsyncIterable<Uint8Array>
  /** Queues text; never throws. False when the queue is full and the text was dropped. */
  write(text: string): boolean
  /** Calls `listener` once the client has read all queued text; never if the client goes away first. */
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
  /** As `out`, for bytes that stay as they are. Absent with a pty. */
  bytes?(data: Uint8Array): Promise<void>
  /** Aborted when the client is gone or interrupts (^C with a pty), or the server stops. */
  readonly signal: AbortSignal
  /** Aborted before `signal`. A command that serves without end then begins nothing new. */
  readonly draining: AbortSignal
  readonly env: Readonly<Record<string, string>>
}

/** A public key whose owner proved to have the private half. */
export interface OfferedKey {
  readonly fingerprint: Fingerprint
  /** SSH's name of the algorithm, such as `ssh-ed25519`. */
  readonly algorithm: string
  /** Set for a key with a certificate that the operator trusts for the requested name. */
  readonly isCertified?: true
  readonly certifiedUntil?: number
  /** What the client may offer if this key is refused. */
  readonly mayFollow?: 'keys' | 'certificate'
}

/** `identify` is called first. */
export interface ClientHandler {
  /**
   * Called with the login name as sent, once the key's signature is verified. Rejects with `Refusal`, of
   * which the client learns only the denial (for an `InviteRefusal` also the reason), or with
   * `StorageError`, whose message the client gets.
   */
  identify(name: string, key: OfferedKey, address: string, code?: string): Promise<Person>
  /** Returns a function to call at the connection's end. `hangUp` closes it after its last job. */
  connected?(person: Person, hangUp: () => void): () => void
  /** Returns how many servers the person, key or network uses, with this one. Absent for a single server. */
  servers?(kind: 'person' | 'key' | 'network', id: string): number
  /** Returns the room of a line such as `join NAME`, which opens a session if the client has a pty. */
  roomToOpen?(line: string): string | undefined
  /**
   * Runs a session, or lines through a pipe. `room` is the result of `roomToOpen`. If it rejects, the caller
   * tells the person and ends the terminal.
   */
  shell(person: Person, terminal: Terminal, account: Account, room?: string): Promise<void>
  /** Resolves with the exit status, 0-255. If it rejects, the caller tells the person. */
  exec(person: Person, line: string, pipe: ExecPipe, account: Account): Promise<number>
  /** Like `exec`: `serve` transfers the files that the person may use, with its own input and output. */
  files?(person: Person, pipe: ExecPipe, serve: ServeFiles): Promise<number>
}

/** Resolves when its input ends, or soon after the signal is aborted. Paths are absolute and normalized. */
export type ServeFiles = (files: FileTree, pipe: Pick<ExecPipe, 'err' | 'signal'>) => Promise<void>

export interface SessionStatus {
  readonly room: string
  /** Includes the person. */
  readonly people: number
  /** Models that can be mentioned here, without `@`. */
  readonly models: readonly string[]
  /** `all`, `none`, `internal` or patterns. Empty while it is not known. */
  readonly scope: string
  readonly tools: number
  /** Models and personas that listen here, without `@`. */
  readonly listeners: readonly string[]
  /** The time of the next run of a routine that is the person's own or of the room. */
  readonly next?: number
  /** The model that was asked last, and its prompt in percent of the window less the answer's tokens. */
  readonly lastTurn?: { readonly model: string; readonly percent: number }
  readonly running: readonly RunningWork[]
  /** Numbers of the questions that this person may answer. */
  readonly questions: readonly number[]
  /** How to answer the first question: by `y` and `n` only if it is the person's own and the only one. */
  readonly answeredBy: 'word' | 'number' | 'command'
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

/** Equal for all sessions of a room that draw it in the same style. */
export interface RoomFooter {
  /** The room that the person is in; undefined while they move. */
  readonly room?: RoomName
  readonly replies: readonly StreamedReply[]
  /** Returns the streamed form of a recorded reply, if it was shown while it was written. */
  readonly replyOf: (entry: Entry) => StreamedReply | undefined
  readonly progressOf?: (call: ToolCallEntry) => ToolProgress | undefined
  readonly status: string
}

/** `heading`: a room's heading, `-- NAME: TOPIC`. */
export type PrintRole = 'error' | 'dim' | 'heading'

export interface Delivery {
  readonly isPast?: true
  readonly waits?: true
}

/** No method throws or blocks. */
export interface Screen extends Omit<Participant, 'stream' | 'deliver'> {
  deliver(entry: Entry, how?: Delivery): void
  /** Text for this person only. */
  print(text: string | StyledText, role?: PrintRole): void
  /** With `onRead` the message is not skipped, and `onRead` is called once the client has read it. */
  message(message: PersonalMessage, onRead?: () => void): void
  /** Shows a command above its output, unless the typing is shown already. */
  echo(line: string): void
  /** Clears the screen, then redraws the status and the draft. */
  clear(): void
  refresh(): void
  bell(): void
  /** Puts sanitized text on the clipboard, if the terminal allows it. Returns false without a terminal. */
  copy(text: string): boolean
  /** Drops the queued lines. Must be called before the next room is entered. */
  kicked(): void
  /** Ends the session, with status 1 if the person is sent away. */
  quit(farewell?: string, exitStatus?: 0 | 1): void
}

/** Text that was typed and not submitted. */
export interface SavedInput {
  readonly lines: readonly string[]
  readonly draft: string
}

/** If a method rejects, the person is told and the session goes on. */
export interface SessionHost {
  /** Lets the room deliver to the screen. If it rejects, the session ends. */
  attach(screen: Screen): Promise<void>
  /** Called once, also if `attach` rejected. */
  detach(unsent: SavedInput): Promise<void>
  /** Called once, before the first key is read. */
  savedInput(): Promise<SavedInput>
  /** Called for one line after the other. */
  submit(line: string): Promise<void>
  /** Resolves to completions of `word`, the end of the text, in a stable order. */
  complete(textBeforeCursor: string, word: string): Promise<readonly string[]>
  /** What a completion does, in half a line; undefined for other words than commands with their slash. */
  summaryOf(choice: string): string | undefined
  /** Must be cheap: called for each frame. Never throws. */
  footer(style: DrawingStyle): RoomFooter
  /** As `footer`, for views without a status line. */
  running(): readonly RunningWork[]
  stop(): Promise<void>
  /** Goes where the person is named, else where something is new, as `/next` does. */
  goNext(): Promise<void>
}
