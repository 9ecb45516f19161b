import type { Usage } from '../../words/entry.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Picture } from '../../words/picture.ts'
import type { ModelSettings } from '../model-settings.ts'
import type { Prompt, ToolDefinition } from '../prompt.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import type { ToolMessage } from '../../tools/index.ts'

/** A language model for a turn or a program's conversation: a step's request, and its answer's events. */

/**
 * A model's reasoning, which is never part of its reply. Some providers want it back while the turn goes on.
 */
export interface Thought {
  readonly text: string
  /** Opaque data that the provider wants back with the thought, such as a signature. */
  readonly providerData?: JsonObject
}

export type StepMessage = AssistantMessage | ToolMessage

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly thoughts?: readonly Thought[]
  /** Opaque data that the provider wants back with the text. */
  readonly providerData?: JsonObject
}

/** Only a program's conversation (wrap/embedding/chat.ts) has user messages after the first. */
export type RequestMessage = StepMessage | { readonly role: 'user'; readonly text: string }

/**
 * The request of one step. An adapter sends `prompt.system`, `userContent(prompt)` with `pictures`,
 * `messages` and `tools`, and nothing else.
 */
export interface ModelRequest<Message extends RequestMessage = StepMessage> {
  readonly prompt: Prompt
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** The pictures of `prompt.pictures`, with their bytes. */
  readonly pictures?: readonly Picture[]
  /** Tokens. */
  readonly maxOutput: number
  /**
   * Tokens of prompt and answer together, for servers that let clients choose; if absent, the server chooses.
   */
  readonly contextWindow?: number
  /** True if the model takes no system message: the system text then precedes the user's part. */
  readonly withoutSystemRole?: boolean
  /** The room that asks. A provider gets at most a hash of it, as the key of its cache. */
  readonly room?: string
  /** Request fields, by the adapter's names, that the server refused; the adapter omits or renames them. */
  readonly withoutFields?: readonly string[]
}

/** Usage of the whole request, as a provider reports it before the answer is finished. */
export type PartialUsage = Partial<Pick<Usage, 'input' | 'cached' | 'output'>>

/** What a model does in one step. `finish` comes last, once. */
export type ModelEvent =
  /** Used if the answer breaks off. */
  | { readonly type: 'reported'; readonly usage: PartialUsage }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'text-data'; readonly providerData: JsonObject }
  /** A piece of a thought, to be shown at once. */
  | { readonly type: 'thinking'; readonly text: string }
  /** A whole thought, to be given back; comes after its pieces. */
  | { readonly type: 'thought'; readonly thought: Thought }
  | { readonly type: 'call'; readonly call: ToolCall }
  | ({ readonly type: 'finish'; readonly usage?: Usage } & FinishReason)

/** Why a step ended. `refused`: the provider withdrew the answer, or could not parse a call in it. */
export type FinishReason =
  | { readonly reason: 'stop' | 'calls' | 'length' }
  /** Prompt and answer fill the window. */
  | { readonly reason: 'window' }
  /** `word` is the provider's own, on one line. */
  | { readonly reason: 'refused' | 'other'; readonly word: string }

/**
 * A language model. One call of `stream` is one step: the model is given definitions of tools, and no way to
 * run them. Throws `ModelError`; once the signal is aborted it stops soon and throws its reason.
 */
export interface LanguageModel {
  stream(request: ModelRequest<RequestMessage>, signal: AbortSignal): AsyncIterable<ModelEvent>
  /**
   * Asks the server what the model can do, without using the model; absent if a provider does not tell.
   * Rejects if the server cannot be reached, or with the signal's reason.
   */
  inquire?(signal: AbortSignal): Promise<ModelFacts>
}

/** What is known of a model beyond its configuration. */
export interface ModelFacts {
  /** Tokens, prompt and answer together. */
  readonly window?: number
  /** Tokens of the longest answer. */
  readonly maxOutput?: number
  readonly tools?: boolean
  readonly systemRole?: boolean
  readonly images?: boolean
}

export interface ConfiguredModel {
  readonly settings: ModelSettings
  readonly adapter: LanguageModel
}

/** Why a provider refused a request, if a different one may succeed. Nothing of an answer was sent. */
export type ModelRefusal =
  /** Numbers are in the provider's tokens; each is absent if the provider does not report it. */
  | {
      readonly kind: 'too-long'
      /** Tokens of the prompt. */
      readonly tokens?: number
      /** Tokens of the prompt and the requested answer. */
      readonly total?: number
      readonly window?: number
      /** True if the same prompt may be accepted later: the limit includes the current requests of others. */
      readonly isPassing?: boolean
    }
  /** The model gives at most `tokens` in an answer, fewer than the request allowed. */
  | { readonly kind: 'max-output'; readonly tokens: number; readonly words?: string }
  /** `words` are the provider's, on one line. */
  | { readonly kind: 'no-tools' | 'no-system-role'; readonly words?: string }
  /** With `isOnlyThese` the model takes other pictures. */
  | { readonly kind: 'no-pictures'; readonly isOnlyThese?: true; readonly words?: string }
  /** One field of the request, for `withoutFields`. */
  | { readonly kind: 'field'; readonly field: string; readonly words?: string }
  /** One tool of the request, by the name of its definition. */
  | { readonly kind: 'tool'; readonly tool: string; readonly words?: string }

export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** True only if the same request may succeed later. */
  readonly retryable: boolean
  /**
   * Facts for the log, such as the status and the beginning of the body. They are never shown in the room.
   */
  readonly facts: { readonly [key: string]: Json }
  readonly refusal?: ModelRefusal
  /** Milliseconds until the same request may succeed, if the provider says so. */
  readonly retryAfterMs?: number
  /** True if the answer broke off after it had begun: the provider has read the prompt, which costs. */
  readonly begun: boolean
  constructor(
    message: string,
    retryable: boolean,
    facts: ModelError['facts'] = {},
    {
      refusal,
      retryAfterMs,
      begun = false,
    }: Partial<Pick<ModelError, 'refusal' | 'retryAfterMs' | 'begun'>> = {},
  ) {
    super(message)
    this.begun = begun
    this.retryable = retryable
    this.facts = facts
    if (refusal) this.refusal = refusal
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}
