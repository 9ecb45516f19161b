/**
 * Serves agents by MCP over a pipe (`stdio.ts`) and HTTP (`http.ts`). This folder must not know rooms, rights
 * or commands: an agent acts only through `Agent`.
 */
import type { Entry, RoomName } from '../../../chat/entry.ts'

export interface VerbUse {
  readonly verb: string
  readonly room?: string
  readonly args?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>
  /** Text that a script would pipe in: no word of the text counts as a flag. */
  readonly input?: string
}

export interface VerbOutcome {
  readonly ok: boolean
  readonly out: string
  /** Messages for the person, one a line: why the command was refused, or what else to know. */
  readonly told: string
}

export interface VerbRun {
  /** Aborted when the agent cancels the call or is gone. */
  readonly signal: AbortSignal
  /** Called with each line of output, as it comes. */
  onLine?(line: string): void
}

export interface WrittenMessage {
  readonly from: { readonly name: string; readonly guest: boolean }
  readonly text: string
  /** Ms since the epoch. */
  readonly at: number
  /** True if the agent's own person wrote the message. */
  readonly isOwn?: true
}

/** Receives what an agent is notified of. No method throws. */
export interface AgentListener {
  heard(entry: Entry): void
  changed(entry: Entry): void
  /** Passes on a direct message to the person; `onRead` must be called once the client has it. */
  written(message: WrittenMessage, onRead?: () => void): void
  /**
   * Reports that the person was removed from a room; `why` is a sentence. The room is still followed if the
   * person may read it, as after a kick.
   */
  putOut(room: RoomName, out: { readonly why: string; readonly isFollowed: boolean }): void
}

/** A connection with all the rights of the person of its key or token, and no others. */
export interface Agent {
  name(): string
  /** Runs a command as that person, with their rights, at their pace. Never rejects. */
  run(use: VerbUse, how: VerbRun): Promise<VerbOutcome>
  /** Reports this room's log to the listener, too. Resolves to the reason if the person may not read it. */
  follow(room: string): Promise<string | undefined>
  unfollow(room: string): void
  /** True if the person may read this room now. Rejects with `StorageError`. */
  sees(room: string): Promise<boolean>
  /**
   * Passes direct messages to the listener, beginning with those that wait, until the returned function is
   * called. Does nothing for a token that is limited to some rooms.
   */
  readMessages(): () => void
  listen(listener: AgentListener): void
  /** Aborted when the agent is closed or removed, or its client is gone. */
  readonly signal: AbortSignal
}

export interface ClosableAgent extends Agent {
  close(): Promise<void>
}
