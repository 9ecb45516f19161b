/**
 * Serves agents by MCP: tools, resources, prompts and notifications for one person, over a pipe (`stdio.ts`) and
 * over HTTP (`http.ts`). This folder must not know rooms, rights and commands: an agent acts through `Agent` alone.
 */
import type { Entry, RoomName } from '../../../chat/entry.ts'

/** A command of the server with its words, as `ssh host VERB` has them. */
export interface VerbUse {
  readonly verb: string
  readonly room?: string
  readonly args?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>
  /** What a script would pipe in: text that no word of a command can be mistaken for. */
  readonly input?: string
}

/** What came of a command. */
export interface VerbOutcome {
  readonly ok: boolean
  /** Its standard output. */
  readonly out: string
  /** What it would tell a person: why it was refused, or what is to be known besides. A line each. */
  readonly told: string
}

/** How a command is run. */
export interface VerbRun {
  /** Ends it: an agent cancels a call, or is gone. */
  readonly signal: AbortSignal
  /** Each line of its output, as it comes. */
  onLine?(line: string): void
}

/** What one person wrote to another one. */
export interface WrittenMessage {
  readonly from: { readonly name: string; readonly guest: boolean }
  readonly text: string
  /** In milliseconds since the epoch. */
  readonly at: number
  /** The agent's own person wrote it. */
  readonly isOwn?: true
}

/** What somebody's agent hears. No method throws. */
export interface AgentListener {
  /** Something happened in a room that the agent is in. */
  heard(entry: Entry): void
  /** Something happened in a room that it follows. */
  changed(entry: Entry): void
  /** Somebody wrote to the person alone. It waits until `onRead` is called: the client has it. */
  written(message: WrittenMessage, onRead?: () => void): void
  /** It was put out of a room; `why` is a sentence. It is still followed where the person may read it, as after a kick. */
  putOut(room: RoomName, out: { readonly why: string; readonly isFollowed: boolean }): void
}

/**
 * Somebody's agent: one connection that acts with all the rights of the person whose key or token it came with, and no
 * other. It is present in the rooms that it joins.
 */
export interface Agent {
  /** The person's name, as it is now. */
  name(): string
  /** Runs a command as that person, with their rights, at their pace. Never rejects. */
  run(use: VerbUse, how: VerbRun): Promise<VerbOutcome>
  /** From now on the listener is told of this room's log too. Resolves to why not, where the person may not read it. */
  follow(room: string): Promise<string | undefined>
  unfollow(room: string): void
  /** Whether the person may read this room now. Rejects with `StorageError`. */
  sees(room: string): Promise<boolean>
  /**
   * From now on the listener is told what is written to the person alone, first what waits. The function returned ends that.
   * Nothing is told to an agent whose token is for some rooms only.
   */
  readMessages(): () => void
  /** Replaces the listener; there is none in the beginning. */
  listen(listener: AgentListener): void
  /** Aborted when the agent is over: it was closed, put out, or its client is gone. */
  readonly signal: AbortSignal
}

export interface ClosableAgent extends Agent {
  /** It leaves all rooms. */
  close(): Promise<void>
}
