import type { Entry, EntryId } from '../chat/entry.ts'
import type { Access, ToolGroup } from '../chat/tool-words.ts'
import type { Json, JsonSchema } from '../lib/json.ts'
import type { Framing } from './model-settings.ts'

/** A tool as scopes and prompts need it: what names and describes it, but not the code that runs it. */
export interface CatalogueTool {
  /** Unique and stable over time: `sshawl_look`, `Grep`, `holler_sample`. */
  readonly id: string
  /** Unique in the catalogue, `^[A-Za-z0-9_-]{1,64}$`: what the model calls. */
  readonly name: string
  readonly group: ToolGroup
  /** `internal`, `builtin`, `wrapped`, or the MCP server's name. */
  readonly source: string
  readonly title: string
  readonly description: string
  /** JSON Schema of the arguments, as it is sent. */
  readonly schema: JsonSchema
  readonly access: Access
  /**
   * Ids of the tools that this one is an alias of: its target, the target of that one, and so on. A scope that hides one of
   * them hides this tool too.
   */
  readonly aliasOf: readonly string[]
  /** Why it cannot run here, in words for people. Such a tool is never offered. */
  readonly unavailable?: string
  /** True if it is there for machines that lack another tool, which is called the same but for the case. */
  readonly yields?: true
}

/** How a model's prompt is measured and limited. */
export interface ModelProfile {
  /** As people call it, without `@`. */
  readonly name: string
  /** Tokens, prompt and answer together. */
  readonly contextWindow: number
  /** Tokens kept free for the answer. */
  readonly maxOutput: number
  /** A tiktoken encoding, such as `o200k_base`. */
  readonly encoding: string
  /** The model's character, from the config; may be empty. */
  readonly systemPrompt: string
  /** Which kind of provider it has, for scripts. */
  readonly backend: string
  /** What its provider adds to a request. */
  readonly framing: Framing
  /** Counted tokens times this are what the provider counts, as far as is known; at least 1. */
  readonly calibration: number
}

/** Somebody who is in the room. */
export interface Present {
  readonly name: string
  readonly kind: 'person' | 'model'
  readonly role: string
}

/** One stored entry and its tokens, which are absent if it was not counted yet. */
export interface HistoryRow {
  readonly entry: Entry
  readonly tokens?: number
}

/** What models read of a part of a room's conversation in its place. */
export interface Summary {
  readonly text: string
  /** The first and the last entry that it covers. */
  readonly first: EntryId
  readonly last: EntryId
}

/** One version of a room's summary. */
export interface RoomSummary extends Summary {
  /** 1, 2, 3, … in each room. */
  readonly version: number
  /** The name of the model that made it, or of the person who wrote it. */
  readonly author: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The room's script, as it was when the snapshot was taken. */
export interface RoomScript {
  readonly source: string
  readonly version: number
}

/** A tool that a turn keeps, and the rung that it keeps. */
export interface KeptTool {
  readonly id: string
  readonly form: 'full' | 'short'
}

/** What a turn has done with tools, oldest first. Where not all fit, these stay, and the oldest of them give way first. */
export interface ToolsInTurn {
  /** The tools that `find_tools` has named. */
  readonly found: readonly KeptTool[]
  /** The tools that were called, as they were sent then. */
  readonly called: readonly KeptTool[]
}

/**
 * All that a prompt is made from. Composing the same snapshot twice gives the same bytes. It is plain JSON, so that it
 * can be sent to another process.
 */
export interface Snapshot {
  /** Milliseconds since the epoch: the only time a script can see. */
  readonly now: number
  readonly room: {
    readonly name: string
    readonly topic: string
    readonly vibe: string
    readonly private: boolean
    readonly exits: readonly { readonly direction: string; readonly room: string }[]
    readonly todo: readonly { readonly content: string; readonly status: string }[]
    readonly values: { readonly [key: string]: Json }
  }
  readonly user: { readonly name: string; readonly role: string }
  readonly present: readonly Present[]
  readonly model: ModelProfile
  /** Those that the room's scope, the model's tools and the requester's role allow. A script can only leave out more. */
  readonly tools: readonly CatalogueTool[]
  /** Oldest first, without the message that is being answered. */
  readonly history: readonly HistoryRow[]
  /** What stands for what was said before; absent where there is none. */
  readonly summary?: RoomSummary
  /** What is being answered, attributed and fenced; empty for `/wrap`. */
  readonly message: string
  readonly script?: RoomScript
  /** Share of the target that tools may take, 0-1. */
  readonly toolsShare: number
  /** Tokens that tools may take however large the target is; absent where only the share bounds them. */
  readonly toolsTokens?: number
  /** Calls of each tool in this room, by id; absent where there were none. */
  readonly toolCalls?: Readonly<Record<string, number>>
  /** What this turn has done before; absent before its first step. */
  readonly inTurn?: ToolsInTurn & {
    /** Tokens of its steps so far, by which the target is smaller than at first. Tools keep their share of all. */
    readonly reserve: number
  }
}
