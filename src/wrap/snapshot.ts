import type { Entry, EntryId } from '../words/entry.ts'
import type { Access, ToolGroup } from '../words/tool-words.ts'
import type { Json, JsonSchema } from '../base/json.ts'
import type { PictureFacts } from '../words/picture.ts'
import type { Framing } from './model-settings.ts'

/** A tool without the code that runs it. */
export interface CatalogueTool {
  /** Stable over time: `sshawl_look`, `Grep`, `holler_sample`. */
  readonly id: string
  /** The name that the model calls: unique, `^[A-Za-z0-9_-]{1,64}$`. */
  readonly name: string
  readonly group: ToolGroup
  /** As `ToolSource.name`. */
  readonly source: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  readonly access: Access
  /** Ids of the tools that this one is an alias of, the nearest first. */
  readonly aliasOf: readonly string[]
  /** The reason for people why the tool cannot run here. Such a tool is never offered. */
  readonly unavailable?: string
  /** See `Tool.yields`. */
  readonly yields?: true
}

export interface ModelProfile {
  readonly name: string
  /** Tokens, prompt and answer together. */
  readonly contextWindow: number
  readonly maxOutput: number
  readonly encoding: string
  readonly systemPrompt: string
  readonly backend: string
  readonly framing: Framing
  /** The provider's tokens per counted token; at least 1. */
  readonly calibration: number
}

export interface PresentParticipant {
  readonly name: string
  readonly kind: 'person' | 'model'
  readonly role: string
}

/** `tokens` is absent if it was not counted yet. */
export interface HistoryRow {
  readonly entry: Entry
  readonly tokens?: number
}

/** Replaces the conversation from the first to the last entry. */
export interface Summary {
  readonly text: string
  readonly first: EntryId
  readonly last: EntryId
}

export interface RoomSummary extends Summary {
  readonly version: number
  /** The model that made it, or the person who wrote it. */
  readonly author: string
  readonly at: number
}

export interface RoomScript {
  readonly source: string
  readonly version: number
}

export interface KeptTool {
  readonly id: string
  readonly form: 'full' | 'short'
}

/** The tools of a turn in the form in which they were sent, oldest first. */
export interface ToolsInTurn {
  readonly found: readonly KeptTool[]
  readonly called: readonly KeptTool[]
}

/** All that a prompt is made from, as plain JSON. */
export interface Snapshot {
  /** In ms: the only time that a script can see. */
  readonly now: number
  readonly room: {
    readonly name: string
    readonly topic: string
    readonly vibe: string
    readonly private: boolean
    readonly exits: readonly { readonly direction: string; readonly room: string }[]
    /** Rows of the pinned lines, with their authors; absent if there is none. */
    readonly pins?: readonly string[]
    readonly todo: readonly { readonly content: string; readonly status: string }[]
    readonly values: { readonly [key: string]: Json }
  }
  readonly user: { readonly name: string; readonly role: string }
  readonly present: readonly PresentParticipant[]
  readonly model: ModelProfile
  /** The tools in scope. A script can only leave out more. */
  readonly tools: readonly CatalogueTool[]
  /** Oldest first, without the message that is being answered. */
  readonly history: readonly HistoryRow[]
  readonly summary?: RoomSummary
  /** The text that is answered; empty for `/wrap`. */
  readonly message: string
  /** The pictures that go along with the message. */
  readonly pictures?: readonly PictureFacts[]
  readonly script?: RoomScript
  /** The room's instructions for all models and for this one; absent if there is none. */
  readonly instructions?: readonly string[]
  /** What is remembered of the room, oldest first; absent if nothing is. */
  readonly memory?: readonly { readonly number: number; readonly author: string; readonly text: string }[]
  /** What the asker said of themselves, oldest first. No script and no hook is given it. */
  readonly memoryOfAsker?: readonly string[]
  /** The persona that was asked, and its instruction. */
  readonly persona?: { readonly name: string; readonly text: string }
  /** Fraction (0-1) of the target for tools. */
  readonly toolsShare: number
  /** Maximum for tools, however large `toolsShare` is. */
  readonly toolsTokens?: number
  /** Calls of each tool in this room, by id. */
  readonly toolCalls?: Readonly<Record<string, number>>
  readonly inTurn?: ToolsInTurn & {
    /** Tokens of the turn's steps so far, which lower the target. Tools keep their part of the whole. */
    readonly reserve: number
  }
}
