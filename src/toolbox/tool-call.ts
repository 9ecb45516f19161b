import type { JsonObject } from '../lib/json.ts'

/** A call that the model asked for. `arguments` is the text as it came; parsing it is the toolbox's. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** What the provider wants back with this call in the next request, unread by us (Gemini's thought signatures). */
  readonly providerData?: JsonObject
}
