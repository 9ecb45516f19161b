// The Model Context Protocol (modelcontextprotocol.io). What the config says of servers is here, and `client` connects to
// them. It knows no room, and of tools only what every source of them must.
import { ACCESSES, TOOL_GROUPS } from '../../chat/tool-words.ts'

/** A server whose tools the rooms have, as the config or an admin names it. */
export interface McpServerConfig {
  /** Its tools are NAME_tool. */
  readonly name: string
  /** Whether a tool is believed that says of itself that it only reads; else people are asked for every call. */
  readonly trust: McpTrust
  readonly reach: McpByCommand | McpByUrl
}

export const MCP_TRUSTS = ['ask', 'annotations'] as const
export type McpTrust = (typeof MCP_TRUSTS)[number]

/** A server that is a child process of ours, and speaks on its standard input and output. */
export interface McpByCommand {
  /** A program and its arguments; there is no shell. */
  readonly command: readonly string[]
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>
  /** Names of variables whose values are secret, whatever they look like. */
  readonly secretEnv?: readonly string[]
  /** An absolute path; that of the server where absent. */
  readonly cwd?: string
  /** `alone`: it sees one directory and no network; `network`: it has that, too. Absent: all rights of ours. */
  readonly sandbox?: 'alone' | 'network'
  /** Environment variables that it should get, and that are not set; it is not started then. */
  readonly unset?: readonly string[]
}

/** A server somewhere on the network: streamable HTTP, or server-sent events where it knows no better. */
export interface McpByUrl {
  readonly url: string
  /** Sent with each request; may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>
  /** How it is logged in to, where it wants that and the usual is not enough. */
  readonly oauth?: McpOAuth
  /** Environment variables that headers or the login come from, and that are not set; it is not asked then. */
  readonly unset?: readonly string[]
}

export const OAUTH_GRANTS = ['authorization_code', 'client_credentials'] as const

/** A login by OAuth, as far as it is not found out. */
export interface McpOAuth {
  /** `client_credentials`: we log in by ourselves, with the secret; else a person does, in a browser. */
  readonly grant?: (typeof OAUTH_GRANTS)[number]
  /** Who gives the tokens; the secret is shown to nobody else. */
  readonly issuer?: string
  /** What the operator registered us as; absent: we register. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** What is asked for; absent: what the server names. */
  readonly scopes?: readonly string[]
  /** To where the browser goes in the end. */
  readonly redirectUrl?: string
}

/** Words with another meaning where a scope names servers. */
const RESERVED: readonly string[] = ['all', 'none', 'on', 'off', 'sshawl', ...TOOL_GROUPS, ...ACCESSES]

/** Whether a server can be called so. */
export const isMcpName = (name: string): boolean =>
  /^[a-z0-9_-]{1,32}$/.test(name) && !RESERVED.includes(name)

/** What to write instead. */
export const MCP_NAME_RULE = 'use 1-32 of a-z, 0-9, _ and -, and no word that a scope gives another meaning'

/** Why no server can be called like a tool, and what to do, in words that end a sentence. */
export const namesakeRule = (name: string): string =>
  `a tool is called ${name}, so a scope that names it would let in all tools of the server; give the server another name`

/** Whether an address is of this machine itself. */
export const isOnLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname)

/** Whether nobody on the way can read what is sent there. */
export const isPrivateWay = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isOnLoopback(url))
