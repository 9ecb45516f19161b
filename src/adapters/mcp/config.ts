// The Model Context Protocol (modelcontextprotocol.io). This file has what the config says of servers;
// `client` connects to them. It knows no room.
import { ACCESSES, TOOL_GROUPS } from '../../chat/tool-words.ts'

/** A server as the config or an admin names it; its tools are NAME_tool. */
export interface McpServerConfig {
  readonly name: string
  /** `annotations`: believes a tool that says that it only reads; `ask`: people are asked for each call. */
  readonly trust: McpTrust
  readonly reach: McpByCommand | McpByUrl
}

export const MCP_TRUSTS = ['ask', 'annotations'] as const
export type McpTrust = (typeof MCP_TRUSTS)[number]

export interface McpByCommand {
  /** There is no shell. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Names of variables whose values are secret, whatever they look like. */
  readonly secretEnv?: readonly string[]
  /** An absolute path; absent: the server's own. */
  readonly cwd?: string
  /** `alone`: one directory and no network; `network`: a network, too. Absent: all our rights. */
  readonly sandbox?: 'alone' | 'network'
  /** Environment variables that it needs and that are not set; it is not started then. */
  readonly unset?: readonly string[]
}

/** A server on the network: streamable HTTP, or server-sent events if it knows only those. */
export interface McpByUrl {
  readonly url: string
  /** Sent with each request; may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>
  readonly oauth?: McpOAuth
  /** Environment variables that it needs and that are not set; it is not asked then. */
  readonly unset?: readonly string[]
}

export const OAUTH_GRANTS = ['authorization_code', 'client_credentials'] as const

export interface McpOAuth {
  /** `client_credentials`: we log in with the secret; else a person does in a browser. */
  readonly grant?: (typeof OAUTH_GRANTS)[number]
  /** Gives the tokens. Nobody else gets the secret. */
  readonly issuer?: string
  /** Our registration there; absent: we register. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Absent: those that the server names. */
  readonly scopes?: readonly string[]
  readonly redirectUrl?: string
}

/** Words with another meaning in a scope. */
const RESERVED: readonly string[] = ['all', 'none', 'on', 'off', 'sshawl', ...TOOL_GROUPS, ...ACCESSES]

export const isMcpName = (name: string): boolean =>
  /^[a-z0-9_-]{1,32}$/.test(name) && !RESERVED.includes(name)

export const MCP_NAME_RULE = 'use 1-32 of a-z, 0-9, _ and -, and no word that a scope gives another meaning'

/** The reason why no server can have the name of a tool, and what to do, to end a sentence. */
export const namesakeRule = (name: string): string =>
  `a tool is called ${name}, so a scope that names it would let in all tools of the server; give the server another name`

export const isOnLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname)

/** True if nobody on the way can read what is sent there. */
export const isPrivateWay = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isOnLoopback(url))
