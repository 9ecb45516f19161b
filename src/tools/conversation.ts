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

/** The conversation in which a tool is called. */
export interface ChatView {
  /** The name of the model that calls; absent where none does. */
  readonly model?: string
  /** Oldest first, as they are now. A turn has what was asked and its own steps; a call by hand has none. */
  readonly messages: readonly ChatMessage[]
}
