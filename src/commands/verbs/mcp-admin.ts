import type { Person } from '../../words/person.ts'

/** All methods throw `Refusal` and reject with `StorageError`; they check no rights. */
export interface McpAdmin {
  /** Returns the servers in the order in which their tools are offered. */
  list(): readonly ListedMcp[]
  /** Connects a server. Keeps the server across restarts if it answers, or wants a possible login. */
  connect(order: McpOrder, by: Person): Promise<{ readonly server: ListedMcp; readonly login?: BegunLogin }>
  /** Removes a server that a command connected, and forgets its login. */
  disconnect(name: string, by: Person): Promise<void>
  /** Reads the server's tools again, or retries the connection at once. */
  refresh(name: string): Promise<ListedMcp>
  login(name: string, by: Person): Promise<BegunLogin>
  finishLogin(name: string, address: string, by: Person): Promise<ListedMcp>
  /** Forgets a login, or ends a login that was `begun`. `why`: the reason why tokens may still be valid. */
  logout(
    name: string,
    by: Person,
  ): Promise<{ readonly was: 'held' | 'begun'; readonly why?: string | undefined }>
  /** Resolves to the withheld tools. With `approve`, accepts exactly these definitions. */
  review(name: string, approve: boolean, by: Person): Promise<readonly ChangedTool[]>
}

/** Contains no secret. `why` ends a sentence; `by` is null for a server of the config. */
export interface ListedMcp {
  readonly name: string
  readonly state: 'connecting' | 'up' | 'down'
  readonly why: string | null
  readonly tools: {
    readonly offered: number
    /** Ids of tools whose definitions changed. */
    readonly withheld: readonly string[]
    /** Tools that cannot be offered. The server wrote the names, which may be empty. */
    readonly leftOut: readonly { readonly name: string; readonly why: string }[]
  }
  readonly trust: string
  readonly at: string
  readonly by: string | null
  readonly login: 'held' | 'wanted' | null
}

/** A person opens `address`, which the server wrote. The browser must end at `back` within `holdsMs`. */
export interface BegunLogin {
  readonly address: string
  readonly back: string
  readonly holdsMs: number
}

/** An unchecked request to connect to a server. */
export interface McpOrder {
  readonly name: string
  /** An address, or a program with its arguments, split at spaces or as a JSON array of strings. */
  readonly target: string
  readonly trust?: string | undefined
  /** The environment variable with its token. */
  readonly tokenEnv?: string | undefined
  /** The environment variables that a program gets. */
  readonly passEnv: readonly string[]
}

/** A withheld tool; `isKnown` is false if its server has had too many. The server wrote `lines`. */
export interface ChangedTool {
  readonly id: string
  readonly isKnown: boolean
  readonly lines: readonly string[]
}
