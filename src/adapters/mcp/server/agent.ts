/**
 * Serves agents by MCP over a pipe (`stdio.ts`) and HTTP (`http.ts`). This folder must not know rooms,
 * rights and commands: an agent acts through `Agent` alone.
 */
import type { Entry, RoomName } from '../../../chat/entry.ts'

export interface VerbUse {
  readonly verb: string
  readonly room?: string
  readonly args?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>
  /** Text that a script would pipe in: no word of it is taken for a flag. */
  readonly input?: string
}

export interface VerbOutcome {
  readonly ok: boolean
  readonly out: string
  /** What it would tell a person, a line each: why it was refused, or what else to know. */
  readonly told: string
}

export interface VerbRun {
  /** Ends it: an agent cancels a call, or is gone. */
  readonly signal: AbortSignal
  /** Each line of its output, as it comes. */
  onLine?(line: string): void
}

export interface WrittenMessage {
  readonly from: { readonly name: string; readonly guest: boolean }
  readonly text: string
  /** Ms since the epoch. */
  readonly at: number
  /** The agent's own person wrote it. */
  readonly isOwn?: true
}

/** What somebody's agent hears. No method throws. */
export interface AgentListener {
  heard(entry: Entry): void
  changed(entry: Entry): void
  /** Somebody wrote to the person alone; `onRead` is to be called once the client has it. */
  written(message: WrittenMessage, onRead?: () => void): void
  /** `why` is a sentence. The room is still followed if the person may read it, as after a kick. */
  putOut(room: RoomName, out: { readonly why: string; readonly isFollowed: boolean }): void
}

/** A connection with all the rights of the person of its key or token, and no others. */
export interface Agent {
  name(): string
  /** Runs a command as that person, with their rights, at their pace. Never rejects. */
  run(use: VerbUse, how: VerbRun): Promise<VerbOutcome>
  /** Tells the listener of this room's log, too. Resolves to the reason if the person may not read it. */
  follow(room: string): Promise<string | undefined>
  unfollow(room: string): void
  /** True if the person may read this room now. Rejects with `StorageError`. */
  sees(room: string): Promise<boolean>
  /**
   * Tells the listener what is written to the person alone, first what waits, until the returned function is
   * called. Does nothing for a token that is for some rooms only.
   */
  readMessages(): () => void
  listen(listener: AgentListener): void
  /** Aborted when the agent was closed or put out, or its client is gone. */
  readonly signal: AbortSignal
}

export interface ClosableAgent extends Agent {
  close(): Promise<void>
}
