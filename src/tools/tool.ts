/**
 * A tool knows rooms, people and its ports to the outside (workspace.ts, web.ts, long-results.ts). It must
 * not know prompts, turns, providers, storage, terminals or scopes.
 */
import type { Access, Answerers, ToolGroup } from '../words/tool-words.ts'
import type { JsonSchema } from '../base/json.ts'
import type { ToolContext } from './context.ts'
import { ArgumentError } from './arguments.ts'
import { failed, type ToolResult } from './results/result.ts'

export interface Question {
  /** The exact subject of a grant: the command, the path, the address. */
  readonly target: string
  /** All facts that a person needs to decide; may have many lines. */
  readonly detail: string
  /** As a refusal repeats it: `run 'rm -rf build'?` */
  readonly asked: string
  /** Default: the tool's access. */
  readonly access?: Access
  /** See `PermissionRequest`. */
  readonly onceOnly?: boolean
  /** See `PermissionRequest`. */
  readonly answeredBy?: Answerers
}

/** `nobody` if this call changes nothing. */
export type Asked = Question | 'nobody'

/**
 * A tool from any source. Its caller asks for permission (`permission.ts`); `asks` and `run` check arguments.
 */
export interface Tool {
  /** Unique and stable: `sshawl_look`, `read_file`, `Grep`. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  readonly access: Access
  /** True if it is replaced by a tool of the same name, ignoring case, or by a `.tool` file of its name. */
  readonly yields?: true
  /** The reason, for people, why it cannot run here. It is listed but offered to no model. */
  readonly unavailable?: string
  /** True if it runs only in a room from which models may walk (`/nav on`). */
  readonly walks?: true
  /** For an alias: the ID of its target. */
  readonly aliasOf?: string
  /** For a wrapped tool: the ID of the underlying tool. */
  readonly base?: string
  /** Parameters that `run` gets unchanged, such as a file's text. Others are sanitized. */
  readonly verbatim?: readonly string[]
  /** Parameters that are paths; a room's script is told their targets. */
  readonly files?: readonly string[]
  /**
   * Checks arguments without changes and returns the question. Without it, people are asked about the tool
   * with all arguments. If it throws, nothing runs. With the access `read` it is called for the check only.
   */
  asks?(args: unknown, context: ToolContext): Promise<Asked>
  /** Runs an allowed call. The facts that `asks` checked may have changed. Returns a failure as a result. */
  run(args: unknown, context: ToolContext): Promise<ToolResult>
  /** Creates a call for a `.tool` file built on this tool. Throws `ArgumentError`. */
  wrap?(request: WrapRequest): WrappedCall
  /** True if only `.tool` files with `@command` can be built on it. */
  readonly wrapsCommand?: boolean
}

/** Arguments are checked against the file's `@param`s. */
export interface WrapRequest {
  /** The wrapped tool's id. */
  readonly tool: string
  /** With `read` nothing may change. */
  readonly access: Access
  /** The command template, with `{name}` for arguments; null without `@command`. */
  readonly words: readonly string[] | null
  readonly args: { readonly [key: string]: unknown }
}

export interface WrappedCall {
  /** For people. */
  readonly shown: string
  /** Not called for a wrapped read-only tool. */
  asks(context: ToolContext): Question
  run(context: ToolContext): Promise<ToolResult>
}

export interface ToolSource {
  readonly group: ToolGroup
  /** `internal`, `builtin`, `wrapped`, or the MCP server's name. */
  readonly name: string
  /** Returns tools in a stable order. Cheap: called at each step of each turn. */
  tools(): readonly Tool[]
}

/** Returns a tool whose calls fail with the reason. */
export const unavailable = (tool: Tool, reason: string): Tool => ({
  ...tool,
  unavailable: reason,
  asks: () => Promise.reject(new ArgumentError(reason)),
  run: async () => failed(`${tool.id}: ${reason}`),
})
