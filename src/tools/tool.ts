/**
 * What a tool is, and all that one gets. Tools know rooms, people and their ports to the outside (`ports/`). They know
 * neither prompts nor turns nor providers, nothing of storage or terminals, and not which tools are in scope.
 */
import type { Entry, EntryDraft, RoomName, TurnId } from '../chat/entry.ts'
import type { Person, Role } from '../chat/person.ts'
import type { JsonSchema } from '../lib/json.ts'
import type { ChatView } from './conversation.ts'
import type { ToolLimits } from './limits.ts'
import type { Workspace } from './ports/workspace.ts'

/** What a tool may do, weakest first. Everything but `read` is asked for before the tool runs. */
export type Access = 'read' | 'write' | 'execute' | 'network'

/** What the caller reads. Text that begins with `ERROR:` is an error as well. */
export interface ToolResult {
  readonly content: string
  readonly isError: boolean
  /** True for a page of a long result. It is clean and short already, so it is passed on unchanged. */
  readonly isPage?: true
}

/** A question to the people in the room, or to a policy. */
export interface PermissionRequest {
  readonly requester: Person
  readonly room: RoomName
  /** The model that wants it; absent when a person runs the tool. */
  readonly model?: string
  readonly tool: string
  readonly access: Access
  /** What a grant would be for: the command, the path, the address. */
  readonly target: string
  /** Everything that a person must see to decide, in full; may have many lines. */
  readonly detail: string
  /** True for what must be asked each time: a grant for the room or for good would be too much. */
  readonly onceOnly?: boolean
  readonly turn?: TurnId
  readonly signal: AbortSignal
}

/** A no, and why, in words that end a sentence: `denied by alice`. */
export interface Denial {
  readonly why: string
}

/** Decides about permissions. Never throws: where nobody can be asked, it denies. */
export interface PermissionProvider {
  request(request: PermissionRequest): Promise<'allow' | 'deny' | Denial>
}

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

/** What a sub-turn is to do. */
export interface SubTurnRequest {
  readonly prompt: string
  /** Present where several sub-turns continue the conversation so far: the number of this one, and how many there are. */
  readonly part?: readonly [number: number, of: number]
  /** Patterns that keep some of the turn's own tools; they never add any. */
  readonly scope?: readonly string[]
  /** A model's name; the turn's own model when absent. */
  readonly model?: string
}

/** Turns inside a turn: for the same requester, with no more tools, within the same time, recorded in a thread. */
export interface SubTurns {
  /** Resolves with the sub-turn's answer. Trouble is a result too: too deep, too many, no such model, failed. */
  run(request: SubTurnRequest): Promise<ToolResult>
}

/** The room that a turn's model has walked to. */
export interface CurrentRoom {
  name: RoomName
}

/** The turn in which a model calls a tool. */
export interface CallingTurn {
  readonly id: TurnId
  /** The model's name. */
  readonly model: string
  /** The room that a world tool uses where the call names none. Walking changes it. */
  readonly currentRoom: CurrentRoom
  readonly subTurns: SubTurns
}

/**
 * All that a tool gets. A model's turn makes one, a person's `/run` makes one, and so can any other
 * caller. A tool learns about its caller only from here, and uses nothing global.
 */
export interface ToolContext {
  readonly room: RoomName
  readonly requester: { readonly person: Person; readonly role: Role }
  /** `turn` is absent when a person or a program runs the tool: they neither walk by tools nor start sub-turns. */
  readonly chat: ChatView & { readonly turn?: CallingTurn }
  readonly workspace: Workspace
  /** For what becomes known only while the tool is at work. What is known before, `Tool.asks` says. */
  readonly permissions: PermissionProvider
  /** Records an entry in the room, as the caller. */
  addMessage(entry: EntryDraft): Promise<Entry>
  /** Aborted when the turn is stopped or its time is over. */
  readonly signal: AbortSignal
  readonly limits: ToolLimits
}

/**
 * A tool from any source. Whoever calls one asks first (`permission.ts`). Both functions check the arguments themselves.
 */
export interface Tool {
  /** Unique and stable: `sshawl_look`, `read_file`, `Grep`. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  readonly access: Access
  /**
   * True if it is meant for machines without the program of another tool that is called the same but for the case. It is
   * offered only where that one is not; a `.tool` file of the same name replaces it.
   */
  readonly yields?: true
  /** Why it cannot run here and what to do, in words for people. It is listed then, and offered to no model. */
  readonly unavailable?: string
  /** True if it can run only in a room where models may walk (`/nav on`). */
  readonly walks?: true
  /** For an alias: the id of the tool it is another name for. */
  readonly aliasOf?: string
  /** For a wrapped tool: the id of the tool it is built on. It goes when that one is disabled. */
  readonly base?: string
  /** Parameters that `run` gets exactly as they came: the text of a file. All others are cleaned first, like speech. */
  readonly verbatim?: readonly string[]
  /**
   * Checks the arguments of a call and says what exactly must be asked, and changes nothing. Not called where `access` is
   * `read`. Without it, people are asked for the tool with all of its arguments. Throws what `withTrouble` knows, and
   * then nobody is asked.
   */
  asks?(args: unknown, context: ToolContext): Promise<Asked>
  /**
   * Does the work, and asks nobody; what `asks` has checked may have changed. Trouble is a result, not an exception; a
   * throw is reported to the caller as an error result too.
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

/** A call of a wrapped tool, as its base is told of it. The arguments were checked against the file's `@param`s. */
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
  readonly group: 'internal' | 'builtin' | 'module' | 'wrapped' | 'mcp'
  /** `internal`, `builtin`, `wrapped`, or the MCP server's name. */
  readonly name: string
  /** In a stable order. Cheap: called at each step of each turn. */
  tools(): readonly Tool[]
}

/** A successful result. */
export const ok = (content: string): ToolResult => ({ content, isError: false })

/** A failed result in the form a model reads: `ERROR: …`. */
export const failed = (message: string): ToolResult => ({
  content: message.startsWith('ERROR:') ? message : `ERROR: ${message}`,
  isError: true,
})

/**
 * A tool that cannot run here: it is listed with the reason and offered to no model, and so is all that is built on it.
 * A call of it fails with the reason.
 */
export const unavailable = (tool: Tool, reason: string): Tool => ({
  ...tool,
  unavailable: reason,
  asks: async () => 'nobody',
  run: async () => failed(`${tool.id}: ${reason}`),
})
