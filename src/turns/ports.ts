import type { EntryId, RoomName, TurnId, Usage } from '../chat/entry.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import type { ToolMessage } from '../tools/context.ts'

/**
 * Turns: a mention starts one, it waits in its room's queue, asks the model step by step, and runs the calls of each
 * step, until the model answers without a call. This folder must not know a provider's wire format or SDK, how turns are
 * stored, how a prompt is composed in Lua, what a tool does, or what a terminal is.
 */

/**
 * What a model thought before it answered. It is never stored as speech. A provider may want it back with the step that it
 * belongs to, for as long as the turn goes on.
 */
export interface Thought {
  readonly text: string
  /** What the provider wants back with it, such as a signature. We do not read it. */
  readonly providerData?: JsonObject
}

/** What happened in an earlier step of this turn: what the model said and called, or the result of one call. */
export type StepMessage = AssistantMessage | ToolMessage

/** What a model said and called in one step. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly thoughts?: readonly Thought[]
}

/** What a request may hold: a conversation of a program has further words of its user after the first. */
export type RequestMessage = StepMessage | { readonly role: 'user'; readonly text: string }

/** The request of one step. An adapter sends `prompt.system`, `userContent(prompt)`, `messages` and `tools`, and nothing else. */
export interface ModelRequest<Message extends RequestMessage = StepMessage> {
  readonly prompt: Prompt
  /** All earlier steps, in order. */
  readonly messages: readonly Message[]
  /** The definitions to send, in this order. */
  readonly tools: readonly ToolDefinition[]
  /** Tokens. */
  readonly maxOutput: number
  /** Tokens, prompt and answer together: for a server that lets its clients choose. It chooses itself when absent. */
  readonly contextWindow?: number
  /** True for a model that takes no system message: then the system text goes at the head of the user's part. */
  readonly withoutSystemRole?: boolean
}

/** What a provider has reported while its answer is not finished: each number is of the whole request so far. */
export type ReportedSoFar = Partial<Pick<Usage, 'input' | 'cached' | 'output'>>

/** What a model does in one step. `finish` comes last, once. */
export type ModelEvent =
  /** Counts if the answer breaks off: `finish` has the whole usage. */
  | { readonly type: 'reported'; readonly usage: ReportedSoFar }
  | { readonly type: 'text'; readonly text: string }
  /** A piece of what the model thinks, to be shown while it does. */
  | { readonly type: 'thinking'; readonly text: string }
  /** A whole thought, to be given back; comes after its pieces. */
  | { readonly type: 'thought'; readonly thought: Thought }
  | { readonly type: 'call'; readonly call: ToolCall }
  | ({ readonly type: 'finish'; readonly usage?: Usage } & FinishReason)

/** Why a step ended. It is `refused` where the provider took the answer back, or could not make a call of it. */
export type FinishReason =
  | { readonly reason: 'stop' | 'calls' | 'length' }
  /** Prompt and answer fill the window. */
  | { readonly reason: 'window' }
  /** `word` is the provider's own for it, on one line. */
  | { readonly reason: 'refused' | 'other'; readonly word: string }

/**
 * A language model, or something that stands for one. One call of `stream` is one step: the model is given definitions
 * of tools, and no way to run them. Throws `ModelError`. When the signal is aborted it stops soon and throws its reason.
 */
export interface LanguageModel {
  stream(request: ModelRequest<RequestMessage>, signal: AbortSignal): AsyncIterable<ModelEvent>
  /**
   * Asks the server what the model can do, without using the model. Absent where a provider does not tell. Rejects where
   * the server cannot be reached, or with the signal's reason.
   */
  inquire?(signal: AbortSignal): Promise<ModelFacts>
}

/** What is known of a model beyond its configuration. Nothing is known of what is absent. */
export interface ModelFacts {
  /** The most tokens that its server takes, prompt and answer together. */
  readonly window?: number
  /** Whether it takes tools, and a system message. */
  readonly tools?: boolean
  readonly systemRole?: boolean
}

/** A model with its adapter, as turns use it. */
export interface ConfiguredModel {
  readonly settings: ModelSettings
  readonly model: LanguageModel
}

/** A stored turn: whose it was, what was sent in it and how it ended. */
export interface TurnRecord {
  readonly id: TurnId
  readonly room: RoomName
  readonly model: string
  /** The name of that time. */
  readonly requester: string
  /** Absent where nobody asked, and in turns of older versions. */
  readonly person?: PersonId
  /** The entry that it answers; absent in sub-turns and summaries, and in turns of older versions. */
  readonly message?: EntryId
  /** The turn that started it; absent where it is no sub-turn. */
  readonly parent?: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: string
  /** What was sent first; absent if nothing was. */
  readonly prompt?: Prompt
  /** What each later request added, in order; only `find` gives them. See `requestsOf`. */
  readonly steps?: readonly SentStep[]
  /** What all its requests used, with those of its sub-turns; a sub-turn has none of its own. */
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

/** Turns on disk. All methods reject with `StorageError` only. */
export interface TurnStore {
  begin(turn: TurnRecord): Promise<void>
  finish(id: string, change: Partial<Omit<TurnRecord, 'id' | 'steps'>>): Promise<void>
  /** Adds a step to a turn that was begun. */
  addStep(id: string, step: SentStep): Promise<void>
  find(id: string): Promise<TurnRecord | undefined>
  /** Turns that were begun and never ended, because their server died in the middle. They are the caller's from then on. */
  unfinished(): Promise<readonly TurnRecord[]>
  /** The turn of a room that was started last, sub-turns left out. */
  last(room: string): Promise<TurnRecord | undefined>
  /** The newest turns of a room that this person asked for, under any name, and whose `message` is known, newest first, without what was sent. */
  asked(room: RoomName, person: PersonId, limit: number): Promise<readonly TurnRecord[]>
}

/** Why a provider took no answer in hand, where a different request may succeed. Nothing of an answer was sent. */
export type ModelRefusal =
  /** The prompt was too long. Tokens, each absent where the provider does not tell. */
  | {
      readonly kind: 'too-long'
      /** Of the prompt, as the provider counts it. */
      readonly tokens?: number
      /** Of the prompt and of the answer that was asked for, as the provider counts them. */
      readonly total?: number
      /** Prompt and answer together. */
      readonly window?: number
      /** True where the same prompt may be taken at another moment: what others ask at this one counts too. */
      readonly isPassing?: boolean
    }
  /** The model, or its server, takes no tools, or no system message. */
  | { readonly kind: 'no-tools' | 'no-system-role' }

/** The provider failed. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** True only where the same request may succeed later. */
  readonly retryable: boolean
  /** Facts for the log, such as the status and the beginning of the body. They are never shown in the room. */
  readonly facts: { readonly [key: string]: Json }
  /** Present where another request may be taken. */
  readonly refusal?: ModelRefusal
  /** Milliseconds until the same request may succeed, where the provider says so. */
  readonly retryAfterMs?: number
  /** True where the answer broke off after the provider had begun it: then it has read the prompt, which costs. */
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
