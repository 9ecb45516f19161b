// `mcp` and its actions, a file for each: the MCP servers whose tools the rooms have, as admins manage them. These must not
// know how a server is reached, and are never given a secret of one.
import type { Person } from '../../../chat/people/person.ts'

/** A server as people may see it. */
export interface ListedMcp {
  readonly name: string
  readonly state: 'connecting' | 'up' | 'down'
  /** Why it is down, in words that end a sentence. */
  readonly why: string | null
  /** How many tools are offered. */
  readonly tools: number
  /** Ids of those that are withheld, since their definitions changed. */
  readonly withheld: readonly string[]
  readonly trust: string
  /** Where it is, without what could be a secret. */
  readonly at: string
  /** Who connected it; null where the config names it. */
  readonly by: string | null
}

/** A server to connect to. Nothing of it has been checked. */
export interface McpOrder {
  readonly name: string
  /** An address; else a program with its arguments, split at spaces, or as a JSON list of texts. */
  readonly target: string
  /** `ask` where it is absent. */
  readonly trust?: string
  /** The environment variable with its token. */
  readonly tokenEnv?: string
}

/** A tool that is withheld. */
export interface ChangedTool {
  readonly id: string
  /** False for one that was never seen, of a server that has had too many. */
  readonly isKnown: boolean
  /** How it differs from what holds: lines that begin with `-`, `+` or a blank. The server wrote them. */
  readonly lines: readonly string[]
}

/** The servers. All of it throws `Refusal` and rejects with `StorageError`; who may do it is not its business. */
export interface McpAdmin {
  /** In the order in which they are offered. */
  list(): readonly ListedMcp[]
  /** Tries it, and keeps it across restarts where it answers. */
  connect(order: McpOrder, by: Person): Promise<ListedMcp>
  /** Leaves a server that was connected so, and forgets what held of it. */
  disconnect(name: string, by: Person): Promise<void>
  /** Reads its list again, or tries it again at once. */
  refresh(name: string): Promise<ListedMcp>
  /** What is withheld; with `approve`, just this holds from now on. */
  review(
    name: string,
    how: { readonly approve: boolean; readonly by: Person },
  ): Promise<readonly ChangedTool[]>
}
