// `mcp` and its actions, a file for each: the MCP servers whose tools the rooms have, as admins manage them. These must not
// know how a server is reached, and are never given a secret of one.
import type { Person } from '../../../chat/people/person.ts'

/** A server as people may see it. */
export interface ListedMcp {
  readonly name: string
  readonly state: 'connecting' | 'up' | 'down'
  /** Why it is down, in words that end a sentence. */
  readonly why: string | null
  readonly tools: ListedTools
  readonly trust: string
  /** Where it is, without what could be a secret. */
  readonly at: string
  /** Who connected it; null where the config names it. */
  readonly by: string | null
  /** Whether somebody is logged in there, or has to; null where neither is known. */
  readonly login: 'held' | 'wanted' | null
}

/** What becomes of the tools that a server lists. */
export interface ListedTools {
  /** How many are offered. */
  readonly offered: number
  /** Ids of those that are withheld, since their definitions changed. */
  readonly withheld: readonly string[]
  /** What can be no tool; `why` ends a sentence. The server wrote the names, which may be empty. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[]
}

/** A login that was begun. */
export interface BegunLogin {
  /** What a person opens in a browser. The server wrote it. */
  readonly address: string
  /** To where the browser goes in the end. */
  readonly back: string
  /** How long that may take, in ms. */
  readonly holdsMs: number
}

/** What a logout has ended. */
export interface EndedLogin {
  /** `begun`: nobody was logged in. */
  readonly was: 'held' | 'begun'
  /** Why its tokens may still hold, in words that end a sentence; absent where they do not. */
  readonly why?: string | undefined
}

/** A server that was connected to. One that wants a login is kept, too, and a login is begun. */
export interface NewMcp {
  readonly server: ListedMcp
  readonly login?: BegunLogin
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
  /** Tries it, and keeps it across restarts where it answers, or wants a login that can be made. */
  connect(order: McpOrder, by: Person): Promise<NewMcp>
  /** Leaves a server that was connected so, and forgets what held of it. */
  disconnect(name: string, by: Person): Promise<void>
  /** Reads its list again, or tries it again at once. */
  refresh(name: string): Promise<ListedMcp>
  /** Begins a login there; one that was begun before ends. */
  login(name: string, by: Person): Promise<BegunLogin>
  /** Ends it with the address to which the browser went. */
  finishLogin(name: string, address: string, by: Person): Promise<ListedMcp>
  /** Forgets a login, and ends one that was begun. */
  logout(name: string, by: Person): Promise<EndedLogin>
  /** What is withheld; with `approve`, just this holds from now on. */
  review(
    name: string,
    how: { readonly approve: boolean; readonly by: Person },
  ): Promise<readonly ChangedTool[]>
}
