import type { Usage } from '../chat/entry.ts'
import type { JsonObject } from '../lib/json.ts'

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
   * is called in, and is aborted with the tool's call. Rejects with `ArgumentError` (messages of a wrong form,
   * or more than its window takes), `Refusal` (a quota is used up), `ModelError`, or the signal's reason.
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
