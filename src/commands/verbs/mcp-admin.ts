// The port through which admins manage MCP servers. No secret of a server passes here.
import type { Person } from '../../chat/people/person.ts'

/** All methods throw `Refusal` and reject with `StorageError`; they do not check who may do it. */
export interface McpAdmin {
  /** In the order in which their tools are offered. */
  list(): readonly ListedMcp[]
  /** Keeps the server across restarts if it answers, or wants a login that can be made. */
  connect(order: McpOrder, by: Person): Promise<{ readonly server: ListedMcp; readonly login?: BegunLogin }>
  /** Removes a server that a command connected, and forgets its login. */
  disconnect(name: string, by: Person): Promise<void>
  /** Reads its list again, or tries it again at once. */
  refresh(name: string): Promise<ListedMcp>
  /** Begins a login there; one that was begun before ends. */
  login(name: string, by: Person): Promise<BegunLogin>
  /** Ends a login with the address to which the browser went. */
  finishLogin(name: string, address: string, by: Person): Promise<ListedMcp>
  /** Forgets a login, and ends one that was `begun`. `why` says why the tokens may still be valid. */
  logout(
    name: string,
    by: Person,
  ): Promise<{ readonly was: 'held' | 'begun'; readonly why?: string | undefined }>
  /** The withheld tools; with `approve`, exactly these definitions are accepted. */
  review(name: string, approve: boolean, by: Person): Promise<readonly ChangedTool[]>
}

/** A server, without what could be a secret. `why` ends a sentence; `by` is null for a server of the config. */
export interface ListedMcp {
  readonly name: string
  readonly state: 'connecting' | 'up' | 'down'
  readonly why: string | null
  readonly tools: {
    readonly offered: number
    /** Ids of tools whose definitions changed. */
    readonly withheld: readonly string[]
    /** What can be no tool. The server wrote the names, which may be empty. */
    readonly leftOut: readonly { readonly name: string; readonly why: string }[]
  }
  readonly trust: string
  readonly at: string
  readonly by: string | null
  readonly login: 'held' | 'wanted' | null
}

/** The server wrote `address`, which a person opens; the browser ends at `back`, within `holdsMs`. */
export interface BegunLogin {
  readonly address: string
  readonly back: string
  readonly holdsMs: number
}

/** A server to connect to. Nothing of it has been checked. */
export interface McpOrder {
  readonly name: string
  /** An address; else a program with its arguments, split at spaces, or as a JSON list of texts. */
  readonly target: string
  readonly trust?: string | undefined
  /** The environment variable that holds its token, and those that a program gets. */
  readonly tokenEnv?: string | undefined
  readonly passEnv: readonly string[]
}

/** A withheld tool, known unless its server has had too many. The server wrote the lines of the difference. */
export interface ChangedTool {
  readonly id: string
  readonly isKnown: boolean
  readonly lines: readonly string[]
}
