import type { ToolCall } from '../toolbox/tool-call.ts'
import type { ChatMessage, ToolMessage } from '../tools/context.ts'

/** What a chat tells of, and what its listeners are given. */
export interface ChatEvents {
  /**
   * The model asked for a call. The listener, which may be async, runs it and appends its reply to `replies`, which has
   * those of the calls before it in this step. The next call is requested when it is done. A listener that throws or
   * appends no reply to this call has failed: the model reads that.
   */
  toolCallRequested(call: ToolCall, replies: ToolMessage[]): void | Promise<void>
  /** A piece of the answer, cleaned, as soon as it comes. What it throws ends the step. */
  text(piece: string): void
  /** A message was appended to the conversation. What it throws ends the step. */
  message(message: ChatMessage): void
}

/** Listeners by event. */
export interface Listeners {
  /** Gives the function that ends the listening. */
  on<Event extends keyof ChatEvents>(event: Event, listener: ChatEvents[Event]): () => void
  /** In the order in which they came. */
  of<Event extends keyof ChatEvents>(event: Event): readonly ChatEvents[Event][]
}

export function createListeners(): Listeners {
  const all: { readonly [Event in keyof ChatEvents]: Set<ChatEvents[Event]> } = {
    toolCallRequested: new Set(),
    text: new Set(),
    message: new Set(),
  }
  return {
    on(event, listener) {
      all[event].add(listener)
      return () => void all[event].delete(listener)
    },
    of: (event) => [...all[event]],
  }
}
