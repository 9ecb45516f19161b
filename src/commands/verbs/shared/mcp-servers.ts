// The port through which admins manage MCP servers, and how one is shown. No secret of a server passes here.
import type { Person } from '../../../chat/people/person.ts'
import { duration } from '../../../lib/duration.ts'
import { counted } from '../../../lib/plural.ts'

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

export const mcpJson = ({ name, state, why, tools, trust, at, by, login }: ListedMcp) => ({
  ...{ name, state, why, tools: tools.offered, withheld: tools.withheld, left_out: tools.leftOut },
  ...{ trust, login, at, from: by === null ? 'config' : 'command', by },
})

const MAX_LEFT_OUT = 3

/** As people see it: `holler  up, 6 tools, 1 withheld; http://localhost:8080/…, by root`. */
export function mcpLine({ name, state, why, tools, at, by, login }: ListedMcp): string {
  const { offered, withheld, leftOut } = tools
  const skipped = leftOut
    .slice(0, MAX_LEFT_OUT)
    .map((one) => [one.name, `(${one.why})`].filter(Boolean).join(' '))
  if (leftOut.length > MAX_LEFT_OUT) skipped.push('… (--json has them all)')
  const facts = [
    why === null ? state : `${state} (${why})`,
    ...(state === 'up' ? [counted(offered, 'tool')] : []),
    ...(login === 'held' ? ['logged in'] : []),
    ...(skipped.length > 0 ? [`left out: ${skipped.join(', ')}`] : []),
    ...(withheld.length > 0
      ? [`${withheld.length} withheld: /mcp approve --show ${name} says how they changed`]
      : []),
  ]
  return `${name}  ${facts.join(', ')}; ${at}, ${by === null ? 'of the config' : `by ${by}`}`
}

export const loginJson = (name: string, { address, back, holdsMs }: BegunLogin) => ({
  name,
  open: address,
  back,
  holds_s: holdsMs / 1000,
})

/** What a person has to do. A terminal may have broken the address into rows. */
export const loginLines = (
  name: string,
  { address, back, holdsMs }: BegunLogin,
  isInSession: boolean,
): string =>
  [
    `${name} wants a login. Open this in a browser, on any machine, and log in at ${new URL(address).host}:`,
    `  ${address}`,
    `In the end the browser goes to ${back}. If no page is there, copy the address that it shows, and`,
    `  /mcp login ${name} ADDRESS`,
    ...(isInSession
      ? [`Where it cannot be copied from here: ssh HOST mcp login ${name} prints it on one line.`]
      : []),
    `That holds for ${duration(holdsMs)}.`,
  ].join('\n')
