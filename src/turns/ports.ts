import type { Json, JsonObject } from '../lib/json.ts'
import type { RoomName, Usage } from '../chat/entry.ts'
import type { PersonId } from '../chat/person.ts'
import type { Prompt, ToolDefinition } from '../wrap/prompt.ts'

/** A call that the model asked for. `arguments` is the text as it came; parsing it is the toolbox's. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** What the provider wants back with this call in the next request, unread by us (Gemini's thought signatures). */
  readonly providerData?: JsonObject
}

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

/** Which kind of provider a model has; the list of adapters is adapters/models/index.ts. */
export type Backend =
  'guide' | 'ollama' | 'llamacpp' | 'openai-compatible' | 'openai' | 'anthropic' | 'gemini'

/** What the core knows of a model: all of its configuration but where it is and how to log in there. */
export interface ModelSettings {
  /** As people call it, without `@`; 1-32 of `[a-z0-9_.-]`. */
  readonly name: string
  readonly backend: Backend
  /** The provider's own name for it, such as `qwen3:8b`. */
  readonly model: string
  /** Tokens, prompt and answer together. */
  readonly contextWindow: number
  /** Tokens kept free for the answer, and asked for at most. */
  readonly maxOutput: number
  /** A tiktoken encoding, such as `o200k_base`. */
  readonly encoding: string
  /** The model's character; may be empty. */
  readonly systemPrompt: string
  /** A scope, met with the room's: `"all"`, or patterns. */
  readonly tools: Json
  readonly enabled: boolean
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

/** What a provider's reports say of our counts. */
export interface Calibration {
  /** Counted tokens times this are what the provider counts. */
  readonly factor: number
  /** Reports that it was learned from. */
  readonly reports: number
  /** When the last of them came, in milliseconds since the epoch. */
  readonly at: number
}

/** Calibrations on disk, by model (turns/calibration.ts has the key). All methods reject with `StorageError` only. */
export interface CalibrationStore {
  find(model: string): Promise<Calibration | undefined>
  /** Stores what `change` makes of what is known, nothing where it gives undefined; no two changes at once. */
  change(model: string, change: (known: Calibration | undefined) => Calibration | undefined): Promise<void>
}

/** A standing permission: one person's, in one room, for one thing. */
export interface Grant {
  /** Counts up in its room; what `perms ROOM revoke N` takes. */
  readonly id: number
  readonly room: RoomName
  /** Whose calls it serves: the requester's, and nobody else's. */
  readonly person: PersonId
  /** That person's name. */
  readonly name: string
  /** The tool's id. */
  readonly tool: string
  /** Exactly what may be done: the command, the path. Matched to the last character. */
  readonly target: string
  /** Milliseconds since the epoch; absent where only revoking ends it. */
  readonly until?: number
  /** The name of who gave it. */
  readonly by: string
  /** When, in milliseconds since the epoch. */
  readonly at: number
}

/** Standing permissions on disk. What is over is never given back. All methods reject with `StorageError` only. */
export interface GrantStore {
  /** In place of an earlier one for the same person, room, tool and target; it then has that one's id. */
  put(grant: Omit<Grant, 'id'>): Promise<Grant>
  /** The one that covers exactly this at time `at`. */
  find(
    what: Pick<Grant, 'room' | 'person' | 'tool' | 'target'> & { readonly at: number },
  ): Promise<Grant | undefined>
  /** Those of a room that hold at time `at`, in order of id. */
  list(room: RoomName, at: number): Promise<readonly Grant[]>
  /** False where there was none. */
  remove(room: RoomName, id: number): Promise<boolean>
}
