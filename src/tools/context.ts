import type { Entry, NewEntry, RoomName, TurnId, Usage } from '../chat/entry.ts'
import type { Person, Role } from '../chat/people/person.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import type { Access } from '../chat/tool-words.ts'
import type { Workspace } from './workspace.ts'
import type { ToolResult } from './result.ts'
import type { JsonObject } from '../lib/json.ts'

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
  /**
   * True for what must be asked each time: a grant would be too much. In a room, only an admin may allow it.
   */
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

/** What a sub-turn is to do. */
export interface SubTurnRequest {
  readonly prompt: string
  /**
   * Present where several sub-turns continue the conversation so far: the number of this one, and how many
   * there are.
   */
  readonly part?: readonly [number: number, of: number]
  /** Patterns that keep some of the turn's own tools; they never add any. */
  readonly scope?: readonly string[]
  /** A model's name; the turn's own model when absent. */
  readonly model?: string
}

/**
 * Turns inside a turn: for the same requester, with no more tools, within the same time, recorded in a
 * thread.
 */
export interface SubTurns {
  /**
   * Resolves with the sub-turn's answer. Trouble is a result too: too deep, too many, no such model, failed.
   */
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
  /** The room that the tools of the rooms use where the call names none. Walking changes it. */
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
  /**
   * `turn` is absent when a person or a program runs the tool: they neither walk by tools nor start
   * sub-turns.
   */
  readonly chat: ChatView & { readonly turn?: CallingTurn }
  readonly workspace: Workspace
  /** For what becomes known only while the tool is at work. What is known before, `Tool.asks` says. */
  readonly permissions: PermissionProvider
  /** Records an entry in the room, as the caller. */
  addMessage(entry: NewEntry): Promise<Entry>
  /** Shows how far the call is, as often as the tool likes. Absent where nobody sees it. */
  readonly progress?: (progress: ToolProgress) => void
  /** Aborted when the turn is stopped or its time is over. */
  readonly signal: AbortSignal
  readonly limits: ToolLimits
}

/** What was said in a conversation, as tools and programs see it. */
export type ChatMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      /** `arguments` is the JSON text that the model wrote. */
      readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
      /** What the model thought before, for the provider alone; absent where there is nothing. */
      readonly thoughts?: readonly { readonly text: string; readonly providerData?: JsonObject }[]
    }
  | ToolMessage
  /** What a tool tells people; no model is sent it. */
  | { readonly role: 'note'; readonly author: string; readonly text: string }

/** The reply to one call; `call` is the call's id. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly call: string
  readonly name: string
  readonly content: string
}

/** The model that calls a tool. In a text it is its name: `${chat.model}`. */
export interface ChatModel {
  readonly name: string
  /**
   * Asks the model once, beside the conversation: it reads these messages and nothing else, and has no tools.
   * The last one is what its user asks. The request is billed like those of the turn or answer that the tool
   * is called in, and is aborted with the tool's call. Rejects with `ArgumentError` (messages of a wrong
   * form, or more than its window takes), `Refusal` (a quota is used up), `ModelError`, or the signal's
   * reason.
   */
  ask(messages: readonly ChatMessage[], signal?: AbortSignal): Promise<ModelAnswer>
  toString(): string
}

/** What a model answered a tool. */
export interface ModelAnswer {
  readonly text: string
  /** Absent if its provider reported nothing. */
  readonly usage?: Usage
}

/** A model as tools get it. */
export const chatModel = (name: string, ask: ChatModel['ask']): ChatModel => ({
  name,
  ask,
  toString: () => name,
})

/** The conversation in which a tool is called. */
export interface ChatView {
  /** The model that calls; absent if a person or a program runs the tool. */
  readonly model?: ChatModel
  /** Oldest first, as they are now. A turn has what was asked and its own steps; a call by hand has none. */
  readonly messages: readonly ChatMessage[]
}

/** Figures that a tool must keep to. */
export interface ToolLimits {
  readonly timeoutMs: number
  readonly outputLines: number
  readonly outputBytes: number
}

/** What of a command's output a tool keeps. */
export const OUTPUT_LIMITS = { outputLines: 2_000, outputBytes: 262_144 } as const
