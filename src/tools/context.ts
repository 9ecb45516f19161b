import type { Entry, NewEntry, RoomName, TurnId, Usage } from '../words/entry.ts'
import type { Person, Role } from '../words/person.ts'
import type { Picture } from '../words/picture.ts'
import type { ToolProgress } from '../words/tool-progress.ts'
import type { Access, Answerers } from '../words/tool-words.ts'
import type { ToolLimits, Workspace } from './workspace.ts'
import type { ToolResult } from './results/result.ts'
import type { JsonObject } from '../base/json.ts'

export interface PermissionRequest {
  readonly requester: Person
  readonly room: RoomName
  /** Absent when a person runs the tool. */
  readonly model?: string
  readonly tool: string
  readonly access: Access
  /** The tool's access, if the question has another one: a command with the network. */
  readonly toolAccess?: Access
  /** As in `Question`. */
  readonly target: string
  readonly detail: string
  /** True if a lasting grant would be too much. In a room only an admin may allow the call. */
  readonly onceOnly?: boolean
  /** If present, only they may allow the call, and each call anew. */
  readonly answeredBy?: Answerers
  readonly turn?: TurnId
  /** The routine in whose run it is asked; without an id, the room's script. */
  readonly routine?: AskingRoutine
  readonly signal: AbortSignal
}

export interface AskingRoutine {
  readonly id?: string
  readonly number: number
}

export interface Denial {
  /** The end of a sentence: `denied by alice`. */
  readonly why: string
}

/** Never throws: denies if nobody can be asked. */
export interface PermissionProvider {
  /** True if reading also needs a permission. */
  asksToRead?(): boolean
  request(request: PermissionRequest): Promise<'allow' | 'deny' | Denial>
}

export interface SubTurnRequest {
  readonly prompt: string
  /**
   * The number of this side turn and of all that the call started (`2 of 3`). Present if they continue the
   * conversation of the turn.
   */
  readonly part?: readonly [number: number, of: number]
  /** Patterns that select from the turn's own tools; they never add any. */
  readonly scope?: readonly string[]
  /** A model's name; default: the turn's own model. */
  readonly model?: string
}

/** Turns inside a turn, for the same requester, with at most its tools and time. */
export interface SubTurns {
  /** Resolves with the answer. A failure is a result too. */
  run(request: SubTurnRequest): Promise<ToolResult>
}

export interface CallingTurn {
  readonly id: TurnId
  readonly model: string
  /** The room for calls that name none. Tools that walk change it. */
  readonly currentRoom: { name: RoomName }
  readonly subTurns: SubTurns
  /** Names what strangers wrote of the text that the turn has read; absent if that is not known. */
  readonly textsOfStrangers?: () => readonly string[]
}

/** Everything that a tool gets from its caller: a turn, a person's `/run`, or a program. */
export interface ToolContext {
  readonly room: RoomName
  readonly requester: { readonly person: Person; readonly role: Role }
  /** `turn` is absent when a person or a program runs the tool. */
  readonly chat: ChatView & { readonly turn?: CallingTurn }
  readonly workspace: Workspace
  /** For questions that come up while the tool runs; other questions are in `Tool.asks`. */
  readonly permissions: PermissionProvider
  /** Adds to the room, as the caller. */
  addMessage(entry: NewEntry): Promise<Entry>
  /** May be called often. Absent if nobody sees it. */
  readonly progress?: (progress: ToolProgress) => void
  /** Aborted when the turn is stopped or its time is over. */
  readonly signal: AbortSignal
  readonly limits: ToolLimits
}

/** A message as tools and programs see it. */
export type ChatMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      /** `arguments` is the JSON text that the model wrote. */
      readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
      /** For the provider only. */
      readonly thoughts?: readonly { readonly text: string; readonly providerData?: JsonObject }[]
      readonly providerData?: JsonObject
    }
  | ToolMessage
  /** From a tool to people; never sent to a model. */
  | { readonly role: 'note'; readonly author: string; readonly text: string }

/** The reply to the call with the ID `call`. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly call: string
  readonly name: string
  readonly content: string
  readonly pictures?: readonly Picture[]
  /** The text that the log keeps instead of `content`. */
  readonly logged?: string
}

/** The calling model. In a template its text is its name: `${chat.model}`. */
export interface ChatModel {
  readonly name: string
  /**
   * Sends one request outside the conversation: only these messages, the last one by the user, without tools.
   * It is billed to the turn, and aborted with the tool's call. Rejects with `ArgumentError` (a wrong form,
   * or too long), `Refusal` (a quota), `ModelError`, or the signal's reason.
   */
  ask(messages: readonly ChatMessage[], signal?: AbortSignal): Promise<ModelAnswer>
  toString(): string
}

export interface ModelAnswer {
  readonly text: string
  /** Absent if the provider reported none. */
  readonly usage?: Usage
}

export const chatModel = (name: string, ask: ChatModel['ask']): ChatModel => ({
  name,
  ask,
  toString: () => name,
})

export interface ChatView {
  /** Absent if a person or a program runs the tool. */
  readonly model?: ChatModel
  /** The turn's question and its steps, oldest first; empty for a call by a person. */
  readonly messages: readonly ChatMessage[]
}
