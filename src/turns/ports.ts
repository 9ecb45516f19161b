import type { Json } from '../lib/json.ts'
import type { Usage } from '../chat/entry.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'

/** What happened in earlier steps of this turn, in order. */
export type StepMessage =
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly name: string; readonly content: string }

/** One step's request. An adapter sends `prompt.system`, `userContent(prompt)`, `steps` and `tools`: no more, no less. */
export interface ModelRequest {
  readonly prompt: Prompt
  readonly steps: readonly StepMessage[]
  /** The definitions to send, in this order. */
  readonly tools: readonly ToolDefinition[]
  /** Tokens. */
  readonly maxOutput: number
}

/** What a model does while it answers one request. `finish` comes last, once. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'finish'
      readonly reason: 'stop' | 'calls' | 'length' | 'other'
      readonly usage?: Usage
    }

/** The provider failed. `retryable` only where the same request may go through later. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly retryable: boolean
  /** Facts for the log: status, body's beginning. Never shown in the room. */
  readonly facts: { readonly [key: string]: Json }
  constructor(message: string, retryable: boolean, facts: ModelError['facts'] = {}, options?: ErrorOptions) {
    super(message, options)
    this.retryable = retryable
    this.facts = facts
  }
}

/**
 * A language model, or what stands for one. One `stream` is one step: it is given tools without any way
 * to run them. Throws `ModelError`; when the signal is aborted it stops soon and throws the signal's reason.
 */
export interface LanguageModel {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

/** A model with its adapter, as turns use it. */
export interface ConfiguredModel {
  readonly settings: ModelSettings
  readonly model: LanguageModel
}

/** How a turn ended, with what was sent, for `/turn` and for the restart. */
export interface TurnRecord {
  readonly id: string
  readonly room: string
  readonly model: string
  readonly requester: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: string
  /** What was composed and sent first; absent if composing failed. */
  readonly prompt?: Prompt
  /** What its later requests added, in order; only `find` gives them. See turns/sent.ts. */
  readonly steps?: readonly SentStep[]
  readonly usage?: Usage
  readonly error?: string
}

/** What a later request of a turn had that the one before it had not. */
export interface SentStep {
  /** Where the prompt was composed again. */
  readonly prompt?: Prompt
  /** The model's answer and its tools' results. */
  readonly messages: readonly StepMessage[]
  /** All definitions, where any is new, gone or changed. */
  readonly tools?: readonly ToolDefinition[]
}

/** Turns on disk. All methods reject with `StorageError` only. */
export interface TurnStore {
  begin(turn: TurnRecord): Promise<void>
  finish(id: string, change: Partial<Omit<TurnRecord, 'steps'>>): Promise<void>
  /** Adds one to the steps of a turn that was begun. */
  addStep(id: string, step: SentStep): Promise<void>
  find(id: string): Promise<TurnRecord | undefined>
  /** Turns that were begun and never finished: the server died in the middle. */
  unfinished(): Promise<readonly TurnRecord[]>
  /** Tokens spent since a time, newest first by model. */
  usage(query: { readonly room?: string; readonly since: number }): Promise<
    readonly {
      readonly model: string
      readonly turns: number
      readonly input: number
      readonly output: number
    }[]
  >
}
