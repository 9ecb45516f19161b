import type { ToolProgress } from '../../../chat/tool-progress.ts'
import type { McpLogin } from '../oauth-login.ts'
import type { McpDefinition } from './definition.ts'
import type { LaunchMcp } from './launch.ts'
import type { McpTimes } from './limits.ts'
import type { McpList } from './list-tools.ts'

/** A server that has answered. All methods but `close` reject with an `Error` whose message ends a sentence. */
export interface McpConnection {
  /** What it lists now, at most `MAX_TOOLS`. */
  list(): Promise<McpList>
  /** Calls a tool as `list` had it. */
  call(tool: McpDefinition, args: object, during: DuringCall): Promise<McpResult>
  /** Resolves if it answers; rejects with why it is to be left. */
  ping(): Promise<void>
  /** Resolves when it is over, with the reason. */
  readonly over: Promise<string>
  /** Ends it, for a reason; also its process. Never rejects. */
  close(why: string): Promise<void>
}

/** What a call gave, as a text for models and people. */
interface McpResult {
  readonly text: string
  readonly isError: boolean
}

/** What goes on during a call. */
export interface DuringCall {
  /** Ends the call; the server is told. */
  readonly signal: AbortSignal
  readonly progress?: ((progress: ToolProgress) => void) | undefined
}

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly times: McpTimes
  /** Of sshawl. */
  readonly version: string
  /** Makes commands ready. */
  readonly launch: LaunchMcp
  /** Its login, where it may want one. */
  readonly login?: McpLogin | undefined
  /** The server says that its tools are others now. */
  listChanged(): void
  /** The server sends so much that it is read more slowly. */
  slowed(): void
  readonly signal: AbortSignal
}
