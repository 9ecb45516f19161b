/**
 * What a tool is; what one gets is in context.ts. Tools know rooms, people and their ports to the outside
 * (workspace.ts, web.ts, long-results.ts). They know neither prompts nor turns nor providers, nothing of
 * storage or terminals, and not which tools are in scope.
 */
import type { Access, ToolGroup } from '../chat/tool-words.ts'
import type { JsonSchema } from '../lib/json.ts'
import type { ToolContext } from './context.ts'
import { ArgumentError } from './arguments.ts'
import { failed, type ToolResult } from './result.ts'

/** What people are asked before a call runs. */
export interface Question {
  /** What a grant would be for, to the last character: the command, the path, the address. */
  readonly target: string
  /** Everything that a person must see to decide, in full; may have many lines. */
  readonly detail: string
  /** As the refusal repeats it: `run 'rm -rf build'?` */
  readonly asked: string
  /** What this call may do, where that is not the access of its tool. */
  readonly access?: Access
  /** See `PermissionRequest`. */
  readonly onceOnly?: boolean
}

/** What a call asks for. `nobody` is asked where this one call changes nothing. */
export type Asked = Question | 'nobody'

/**
 * A tool from any source. Whoever calls one asks first (`permission.ts`). Both functions check the arguments
 * themselves.
 */
export interface Tool {
  /** Unique and stable: `sshawl_look`, `read_file`, `Grep`. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  readonly access: Access
  /**
   * True if it is meant for machines without the program of another tool that is called the same but for the
   * case. It is offered only where that one is not; a `.tool` file of the same name replaces it.
   */
  readonly yields?: true
  /**
   * Why it cannot run here and what to do, in words for people. It is listed then, and offered to no model.
   */
  readonly unavailable?: string
  /** True if it can run only in a room where models may walk (`/nav on`). */
  readonly walks?: true
  /** For an alias: the id of the tool it is another name for. */
  readonly aliasOf?: string
  /** For a wrapped tool: the id of the tool it is built on. It goes when that one is disabled. */
  readonly base?: string
  /**
   * Parameters that `run` gets exactly as they came: the text of a file. All others are cleaned first, like
   * speech.
   */
  readonly verbatim?: readonly string[]
  /** Parameters that name a file or directory of the workspace: a room's script is told where they lead. */
  readonly files?: readonly string[]
  /**
   * Checks the arguments of a call and says what exactly must be asked, and changes nothing. Without it,
   * people are asked for the tool with all of its arguments. Throws what `withTrouble` knows, and then nobody
   * is asked and nothing runs. Where `access` is `read` it is called for that alone.
   */
  asks?(args: unknown, context: ToolContext): Promise<Asked>
  /**
   * Does the work, and asks nobody; what `asks` has checked may have changed. Trouble is a result, not an
   * exception; a throw is reported to the caller as an error result too.
   */
  run(args: unknown, context: ToolContext): Promise<ToolResult>
  /**
   * Makes a call of this tool for a `.tool` file that is built on it; only tools that have it can be
   * wrapped. Throws `ArgumentError` where the arguments do not fit the template.
   */
  wrap?(request: WrapRequest): WrappedCall
  /** True if nothing can be built on it without a `@command`. */
  readonly wrapsCommand?: boolean
}

/**
 * A call of a wrapped tool, as its base is told of it. The arguments were checked against the file's
 * `@param`s.
 */
export interface WrapRequest {
  /** The wrapped tool's id, for messages and permissions. */
  readonly tool: string
  /** The access that the file declares, or that of its base. With `read` nothing may change. */
  readonly access: Access
  /** The command template, split at load; `{name}` words stand for arguments. Null without `@command`. */
  readonly words: readonly string[] | null
  readonly args: { readonly [key: string]: unknown }
}

/** A call that the base of a wrapped tool has made ready. */
export interface WrappedCall {
  /** The shell-quoted command (or the plain call) that people are shown. */
  readonly shown: string
  /** What people must allow before it runs. Not called for a wrapped tool that only reads. */
  asks(context: ToolContext): Question
  run(context: ToolContext): Promise<ToolResult>
}

/** Where tools come from: the tools of the rooms, the built-in ones, `.tool` files, one MCP server. */
export interface ToolSource {
  readonly group: ToolGroup
  /** `internal`, `builtin`, `wrapped`, or the MCP server's name. */
  readonly name: string
  /** In a stable order. Cheap: called at each step of each turn. */
  tools(): readonly Tool[]
}

/**
 * A tool that cannot run here: it is listed with the reason and offered to no model, and so is all that is
 * built on it. A call of it fails with the reason.
 */
export const unavailable = (tool: Tool, reason: string): Tool => ({
  ...tool,
  unavailable: reason,
  asks: () => Promise.reject(new ArgumentError(reason)),
  run: async () => failed(`${tool.id}: ${reason}`),
})
