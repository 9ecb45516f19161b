import type { EntryId, RoomName, TurnId, Usage } from '../words/entry.ts'
import type { PersonId } from '../words/person.ts'
import type { Prompt, ToolDefinition } from '../wrap/index.ts'
import type { StepMessage } from '../wrap/loop/index.ts'

// Turns: a mention starts one, it waits in its room's queue, asks the model step by step, and runs the calls
// of each step, until the model answers without a call. This folder must not know a provider's wire format or
// SDK, how turns are stored, how a prompt is composed in Lua, what a tool does, or what a terminal is.

export interface TurnRecord {
  readonly id: TurnId
  readonly room: RoomName
  readonly model: string
  /** The requester's name at that time. */
  readonly requester: string
  /** Absent if nobody asked, and in turns of older versions. */
  readonly person?: PersonId
  /** The answered entry; absent in side turns and summaries, and in turns of older versions. */
  readonly message?: EntryId
  /** The turn that started it as a side turn. */
  readonly parent?: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: string
  /** The first prompt; absent if none was sent or it was removed. Only `find` and `last` return it. */
  readonly prompt?: Prompt
  /** Days after which the prompt and the steps were removed. */
  readonly requestDays?: number
  /** What each later request added; returned and removed like `prompt`. See `requestsOf`. */
  readonly steps?: readonly SentStep[]
  /** Includes the usage of side turns, whose own records have none. */
  readonly usage?: Usage
  readonly error?: string
}

/** What is new in a later request of a turn. */
export interface SentStep {
  /** Present if the prompt was composed again. */
  readonly prompt?: Prompt
  /** How many of the previous request's messages were sent again, from the first on; absent if all were. */
  readonly kept?: number
  readonly messages: readonly StepMessage[]
  /** All definitions; present if any is new, gone or changed. */
  readonly tools?: readonly ToolDefinition[]
}

/** All methods reject with `StorageError` only. */
export interface TurnStore {
  begin(turn: Omit<TurnRecord, 'prompt' | 'steps' | 'requestDays'>): Promise<void>
  /** Changes a stored turn. `prompt` is set at most once. Resolves to the bytes that the prompt added. */
  finish(id: string, change: Partial<Omit<TurnRecord, 'id' | 'steps' | 'requestDays'>>): Promise<number>
  /** Stores a later request. Resolves to the bytes that it added: compressed, without shared parts. */
  addStep(id: string, step: SentStep): Promise<number>
  find(id: string): Promise<TurnRecord | undefined>
  /** Resolves to turns whose server died before they ended. The calling server owns them from now on. */
  unfinished(): Promise<readonly TurnRecord[]>
  /** The latest turn of a room, no side turn; with `before`, the latest of its model that started earlier. */
  last(room: string, before?: Pick<TurnRecord, 'id' | 'model' | 'startedAt'>): Promise<TurnRecord | undefined>
  /** A person's turns under any name with a known `message`: newest first, without prompts and steps. */
  asked(room: RoomName, person: PersonId, limit: number): Promise<readonly TurnRecord[]>
}
