/**
 * A tool knows rooms, people and its ports to the outside (workspace.ts, web.ts, long-results.ts). It must
 * not know prompts, turns, providers, storage, terminals or scopes.
 */
import type { Access, ToolGroup } from '../chat/tool-words.ts'
import type { JsonSchema } from '../lib/json.ts'
import type { ToolContext } from './context.ts'
import { ArgumentError } from './arguments.ts'
import { failed, type ToolResult } from './result.ts'

export interface Question {
  /** A grant is for exactly this: the command, the path, the address. */
  readonly target: string
  /** All that a person must see to decide; may have many lines. */
  readonly detail: string
  /** As the refusal repeats it: `run 'rm -rf build'?` */
  readonly asked: string
  /** That of the tool when absent. */
  readonly access?: Access
  /** See `PermissionRequest`. */
  readonly onceOnly?: boolean
}

/** `nobody` is asked if this one call changes nothing. */
export type Asked = Question | 'nobody'

/** A tool from any source. Its caller asks first (`permission.ts`); `asks` and `run` check the arguments. */
export interface Tool {
  /** Unique and stable: `sshawl_look`, `read_file`, `Grep`. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  readonly access: Access
  /** True if it gives way to a tool of the same name but for the case, or to a `.tool` file of its name. */
  readonly yields?: true
  /** For people: why it cannot run here. It is listed then, and offered to no model. */
  readonly unavailable?: string
  /** True if it runs only in a room from which models may walk (`/nav on`). */
  readonly walks?: true
  /** For an alias: the id of the tool it is another name for. */
  readonly aliasOf?: string
  /** For a wrapped tool: the id of the tool it is built on. */
  readonly base?: string
  /** Parameters that `run` gets as they came, such as the text of a file. All others are cleaned. */
  readonly verbatim?: readonly string[]
  /** Parameters that are paths: a room's script is told where they lead. */
  readonly files?: readonly string[]
  /**
   * Checks the arguments, changes nothing, and gives the question. Without it, people are asked for the tool
   * with all arguments. Nothing runs if it throws. With the access `read` it is called for the check alone.
   */
  asks?(args: unknown, context: ToolContext): Promise<Asked>
  /** Asks nobody; what `asks` has checked may have changed. A failure is a result. */
  run(args: unknown, context: ToolContext): Promise<ToolResult>
  /** Makes a call for a `.tool` file that is built on this tool. Throws `ArgumentError`. */
  wrap?(request: WrapRequest): WrappedCall
  /** True if nothing can be built on it without a `@command`. */
  readonly wrapsCommand?: boolean
}

/** The arguments were checked against the file's `@param`s. */
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
  /** Not called for a wrapped tool that only reads. */
  asks(context: ToolContext): Question
  run(context: ToolContext): Promise<ToolResult>
}

export interface ToolSource {
  readonly group: ToolGroup
  /** `internal`, `builtin`, `wrapped`, or the MCP server's name. */
  readonly name: string
  /** In a stable order. Cheap: called at each step of each turn. */
  tools(): readonly Tool[]
}

/** A tool that cannot run here. A call of it fails with the reason. */
export const unavailable = (tool: Tool, reason: string): Tool => ({
  ...tool,
  unavailable: reason,
  asks: () => Promise.reject(new ArgumentError(reason)),
  run: async () => failed(`${tool.id}: ${reason}`),
})
