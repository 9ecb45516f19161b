/**
 * Turns: a mention starts one, it waits in its room's queue, asks the model step by step, and runs the calls of each
 * step, until the model answers without a call. This folder must not know a provider's wire format or SDK, how turns are
 * stored, how a prompt is composed in Lua, what a tool does, or what a terminal is.
 */
import type { Json } from '../lib/json.ts'
import type { Usage } from '../chat/entry.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'

/** What happened in an earlier step of this turn: what the model said and called, or the result of one call. */
export type StepMessage =
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly name: string; readonly content: string }

/** What a request may hold: a conversation of a program has further words of its user after the first. */
export type RequestMessage = StepMessage | { readonly role: 'user'; readonly text: string }

/** The request of one step. An adapter sends `prompt.system`, `userContent(prompt)`, `steps` and `tools`, and nothing else. */
export interface ModelRequest<Message extends RequestMessage = StepMessage> {
  readonly prompt: Prompt
  /** In order. */
  readonly steps: readonly Message[]
  /** The definitions to send, in this order. */
  readonly tools: readonly ToolDefinition[]
  /** Tokens. */
  readonly maxOutput: number
}

/** What a model does in one step. `finish` comes last, once. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'finish'
      readonly reason: 'stop' | 'calls' | 'length' | 'other'
      readonly usage?: Usage
    }

/** The provider failed. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** True only where the same request may succeed later. */
  readonly retryable: boolean
  /** Facts for the log, such as the status and the beginning of the body. They are never shown in the room. */
  readonly facts: { readonly [key: string]: Json }
  constructor(message: string, retryable: boolean, facts: ModelError['facts'] = {}, options?: ErrorOptions) {
    super(message, options)
    this.retryable = retryable
    this.facts = facts
  }
}

/**
 * A language model, or something that stands for one. One call of `stream` is one step: the model is given definitions
 * of tools, and no way to run them. Throws `ModelError`. When the signal is aborted it stops soon and throws its reason.
 */
export interface LanguageModel {
  stream(request: ModelRequest<RequestMessage>, signal: AbortSignal): AsyncIterable<ModelEvent>
}

/** A model with its adapter, as turns use it. */
export interface ConfiguredModel {
  readonly settings: ModelSettings
  readonly model: LanguageModel
}

/** A stored turn: whose it was, what was sent in it and how it ended. */
export interface TurnRecord {
  readonly id: string
  readonly room: string
  readonly model: string
  readonly requester: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: string
  /** What was sent first; absent if nothing was. */
  readonly prompt?: Prompt
  /** What each later request added, in order; only `find` gives them. See `requestsOf`. */
  readonly steps?: readonly SentStep[]
  readonly usage?: Usage
  readonly error?: string
}

/** What is new in a later request of a turn. */
export interface SentStep {
  /** Present where the prompt was composed again. */
  readonly prompt?: Prompt
  /** How many messages of the request before still stand, from the first on; absent where all do. */
  readonly kept?: number
  /** What follows them: what the model said and called in the step before, and the results. */
  readonly messages: readonly StepMessage[]
  /** All definitions; present where any is new, gone or changed. */
  readonly tools?: readonly ToolDefinition[]
}

/** What one turn has used. */
export interface Spending {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Read and written together. */
  readonly tokens: number
}

/** Turns on disk. All methods reject with `StorageError` only. */
export interface TurnStore {
  begin(turn: TurnRecord): Promise<void>
  finish(id: string, change: Partial<Omit<TurnRecord, 'steps'>>): Promise<void>
  /** Adds a step to a turn that was begun. */
  addStep(id: string, step: SentStep): Promise<void>
  find(id: string): Promise<TurnRecord | undefined>
  /** Turns that were begun and never ended, because the server died in the middle. */
  unfinished(): Promise<readonly TurnRecord[]>
  /** What each turn used that was started after a time by somebody, or in a room: oldest first, without those of 0. */
  spending(
    of: { readonly requester: string } | { readonly room: string },
    after: number,
  ): Promise<readonly Spending[]>
  /** Turns and tokens of each model since a time, in milliseconds since the epoch; the model used last comes first. */
  usage(query: { readonly room?: string; readonly since: number }): Promise<
    readonly {
      readonly model: string
      readonly turns: number
      readonly input: number
      readonly output: number
    }[]
  >
}
