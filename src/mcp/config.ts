// The config of Model Context Protocol servers (modelcontextprotocol.io); knows no room.
import { ACCESSES, TOOL_GROUPS } from '../words/tool-words.ts'

/** A server of the config or of an admin; its tools are NAME_tool. */
export interface McpServerConfig {
  readonly name: string
  /** `annotations`: trusts a tool's claim to read only; `ask`: every call needs a person's permission. */
  readonly trust: McpTrust
  readonly reach: McpByCommand | McpByUrl
}

export const MCP_TRUSTS = ['ask', 'annotations'] as const
export type McpTrust = (typeof MCP_TRUSTS)[number]

export interface McpByCommand {
  /** Runs without a shell. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Names of variables whose values are secret, even if they do not look secret. */
  readonly secretEnv?: readonly string[]
  /** An absolute path; if absent, sshawl's own directory. */
  readonly cwd?: string
  /** One directory, with (`network`) or without (`alone`) the network. Absent: all rights of sshawl. */
  readonly sandbox?: 'alone' | 'network'
  /** Required environment variables that are not set; the server is not started then. */
  readonly unset?: readonly string[]
}

/** A server on the network: streamable HTTP, or server-sent events if the server knows nothing newer. */
export interface McpByUrl {
  readonly url: string
  /** Sent with each request; may contain secrets. */
  readonly headers?: Readonly<Record<string, string>>
  readonly oauth?: McpOAuth
  /** Required environment variables that are not set; the server is not asked then. */
  readonly unset?: readonly string[]
}

export const OAUTH_GRANTS = ['authorization_code', 'client_credentials'] as const

export interface McpOAuth {
  /** `client_credentials`: sshawl logs in with the secret; otherwise a person logs in with a browser. */
  readonly grant?: (typeof OAUTH_GRANTS)[number]
  /** The server that issues the tokens. No other gets the secret. */
  readonly issuer?: string
  /** sshawl's registration at the issuer; if absent, sshawl registers itself. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** If absent, the scopes that the server names. */
  readonly scopes?: readonly string[]
  readonly redirectUrl?: string
}

/** Words with another meaning in a scope. */
const RESERVED: readonly string[] = ['all', 'none', 'on', 'off', 'sshawl', ...TOOL_GROUPS, ...ACCESSES]

export const isMcpName = (name: string): boolean =>
  /^[a-z0-9_-]{1,32}$/.test(name) && !RESERVED.includes(name)

export const MCP_NAME_RULE = 'use 1-32 of a-z, 0-9, _ and -, and no word that a scope gives another meaning'

/** Returns why a server cannot have a tool's name, and what to do, in words that end a sentence. */
export const namesakeRule = (name: string): string =>
  `a tool is called ${name}, so a scope that names it would let in all tools of the server; give the server another name`

export const isOnLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname)

/** True if nobody between here and the server can read requests to this URL. */
export const isPrivateWay = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isOnLoopback(url))
