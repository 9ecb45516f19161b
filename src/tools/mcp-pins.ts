/** What a server said of a tool when it was first seen, or when an admin approved it. */
export interface McpPin {
  /** What the server calls it, as JSON: any text comes back as it was. */
  readonly tool: string
  /** SHA-256 of the definition. */
  readonly hash: string
  /** As JSON whose equal values are equal texts. */
  readonly definition: string
}

/** The definitions that hold, by server. All methods reject with `StorageError` only. */
export interface McpPinStore {
  hashes(server: string): Promise<readonly Pick<McpPin, 'tool' | 'hash'>[]>
  /** Those of these tools that have one. */
  find(server: string, tools: readonly string[]): Promise<readonly McpPin[]>
  /** Takes the place of an earlier one of the same tool. */
  put(server: string, pins: readonly McpPin[]): Promise<void>
  /** Of all tools of a server. */
  forget(server: string): Promise<void>
}

/** A server that an admin connected with a command. */
export interface ConnectedMcp {
  readonly name: string
  /** The keys of `[[mcp]]`, as JSON. */
  readonly entry: string
  /** Who connected it, by their name of that time. */
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The servers that admins connected. All methods reject with `StorageError` only. */
export interface ConnectedMcpStore {
  /** By name. */
  all(): Promise<readonly ConnectedMcp[]>
  /** Takes the place of an earlier one of that name. */
  put(server: ConnectedMcp): Promise<void>
  /** Its pins go with it. */
  remove(name: string): Promise<void>
}
