/** A tool's definition when it was first seen, or when an admin approved it. */
export interface McpPin {
  /** The server's name for the tool, as JSON, which preserves any text. */
  readonly tool: string
  /** SHA-256 of the definition. */
  readonly hash: string
  /** As stable JSON. */
  readonly definition: string
}

/** The approved definitions by server. All methods reject with `StorageError` only. */
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
  /** The admin's name at that time. */
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** All methods reject with `StorageError` only. */
export interface ConnectedMcpStore {
  /** Ordered by name. */
  all(): Promise<readonly ConnectedMcp[]>
  /** Replaces an earlier server of that name. */
  put(server: ConnectedMcp): Promise<void>
  /** Also removes its pins. */
  remove(name: string): Promise<void>
}
