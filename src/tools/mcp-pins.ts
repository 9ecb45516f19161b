/** The definition of a tool when it was first seen, or when an admin approved it. */
export interface McpPin {
  /** The server's name for it, as JSON, which keeps any text. */
  readonly tool: string
  /** SHA-256 of the definition. */
  readonly hash: string
  /** As stable JSON. */
  readonly definition: string
}

/** The definitions that hold, by server. All methods reject with `StorageError` only. */
export interface McpPinStore {
  hashes(server: string): Promise<readonly Pick<McpPin, 'tool' | 'hash'>[]>
  find(server: string, tools: readonly string[]): Promise<readonly McpPin[]>
  /** Replaces earlier pins of the same tools. */
  put(server: string, pins: readonly McpPin[]): Promise<void>
  forget(server: string): Promise<void>
}

export interface ConnectedMcp {
  readonly name: string
  /** The keys of `[[mcp]]`, as JSON. */
  readonly entry: string
  /** The name of the admin then. */
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** All methods reject with `StorageError` only. */
export interface ConnectedMcpStore {
  /** By name. */
  all(): Promise<readonly ConnectedMcp[]>
  /** Replaces an earlier one of that name. */
  put(server: ConnectedMcp): Promise<void>
  /** Its pins go with it. */
  remove(name: string): Promise<void>
}
