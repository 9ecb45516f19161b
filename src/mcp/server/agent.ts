import type { AgentListener } from '../../chat/index.ts'

// Serves agents by MCP over a pipe (`stdio.ts`) and HTTP (`http.ts`). This folder must not know rooms, rights
// or commands: an agent acts only through `Agent`.

export interface VerbUse {
  readonly verb: string
  readonly room?: string
  readonly args?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>
  /** Text that a script would pipe in: no word of it counts as a flag. */
  readonly input?: string
}

export interface VerbOutcome {
  readonly ok: boolean
  readonly out: string
  /** Messages for the person, one per line: the reason of a refusal, or other hints. */
  readonly told: string
}

export interface VerbRun {
  /** Aborted when the agent cancels the call or is gone. */
  readonly signal: AbortSignal
  onLine?(line: string): void
}

/** A connection with exactly the rights of the person of its key or token. */
export interface Agent {
  name(): string
  /** Runs a command as that person, with the person's rights and rate limit. Never rejects. */
  run(use: VerbUse, how: VerbRun): Promise<VerbOutcome>
  /** Also reports this room's log to the listener. Resolves to the reason if the person may not read it. */
  follow(room: string): Promise<string | undefined>
  unfollow(room: string): void
  /** True if the person may read this room now. Rejects with `StorageError`. */
  sees(room: string): Promise<boolean>
  /**
   * Passes direct messages, waiting ones first, to the listener until the returned function is called. Does
   * nothing for a token that is limited to some rooms.
   */
  readMessages(): () => void
  listen(listener: AgentListener): void
  /** Aborted when the agent is closed or removed, or its client is gone. */
  readonly signal: AbortSignal
}

export interface ClosableAgent extends Agent {
  close(): Promise<void>
}
