// Prompts: composed from a snapshot of a room under an exact token budget (compose-prompt.ts), with the tools
// of a turn (scope.ts). Runs in the server and in the wrap process: must not know files, `node:`, npm
// packages, storage, or how models are asked and tools run. Composing must not know a clock.
import type { EntryId, EntryKind, RoomName } from '../words/entry.ts'
import type { PersonId } from '../words/person.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Prompt } from './prompt.ts'
import type { HistoryRow, RoomScript, RoomSummary, Snapshot } from './snapshot.ts'

/** The message is for the room; it names the script's line if a script is the reason. */
export class WrapError extends Error {
  override readonly name = 'WrapError'
  readonly reason: 'script' | 'budget' | 'limit' | 'argument' | 'process'
  constructor(reason: WrapError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

export const isOverBudget = (error: unknown): boolean =>
  error instanceof WrapError && error.reason === 'budget'

/**
 * Composes prompts outside of the server's process. All methods reject with `WrapError` only, or with the
 * reason of their signal.
 */
export interface Composer extends AsyncDisposable {
  compose(snapshot: Snapshot, signal?: AbortSignal): Promise<Prompt>
  /**
   * Composes a trial prompt with a script, at the cost of the trial's user. `print` gets each line that the
   * script prints, also if it fails.
   */
  check(source: string, trial: Snapshot, print?: (line: string) => void): Promise<void>
  /** Runs a hook under the limits of a prompt and at the cost of the room. */
  runHook(run: HookRun, signal?: AbortSignal): Promise<HookOutcome>
  /** Resolves to the tokens of each text. Also rejects if there are too many such requests at once. */
  count(encoding: string, texts: readonly string[]): Promise<readonly number[]>
}

export type HookName = 'before_tool_call' | 'after_turn' | 'on_message' | 'on_program_line'

/** One call of a hook, as plain JSON. */
export interface HookRun {
  readonly name: HookName
  readonly script: RoomScript
  /** The person who set the script, and pays for it. */
  readonly author: string
  readonly argument: JsonObject
  /** In ms: the only time that the script can see. */
  readonly now: number
  /** Without exits, which not all readers may see. */
  readonly room: Omit<Snapshot['room'], 'exits'>
}

/** What a hook says in the room. `asks` is the name of the model that answers it, without `@`. */
export interface HookSpeech {
  readonly text: string
  readonly asks?: string
}

export interface HookOutcome {
  readonly refusal?: string
  /** The name of the webhook to call. */
  readonly webhook?: string
  readonly speech?: HookSpeech
  /** Key-values to store; null removes a key. */
  readonly values: readonly (readonly [key: string, value: Json])[]
  readonly log: readonly string[]
}

/** Counts tokens in one encoding. Never throws; its time is linear in the text's length. */
export interface TokenCounter {
  count(text: string): number
  /** True if the text surely has as many tokens after a line break as alone. */
  startsAnew(text: string): boolean
  /** The longest head of at most `tokens` tokens, cut on a token boundary and on whole characters. */
  head(text: string, tokens: number): string
  tail(text: string, tokens: number): string
}

export interface LuaJob {
  readonly script?: string
  readonly data: JsonObject
  /** Answers what Lua asks. If it throws, the script gets the message as an error. */
  readonly host: (name: string, argument: Json) => Json
  /** Bytes of JSON that the job may return. */
  readonly maxOutput: number
}

/** Runs each job in its own environment. Blocks its process, which can be killed. */
export interface LuaEngine {
  /** Throws `WrapError`: 'script' with the line, 'limit' for time, memory or output. */
  run(job: LuaJob): Json
  close(): void
}

/** One version of a room's script; an empty `source` resets it to the bundled `default_wrap`. */
export interface StoredScript {
  readonly room: RoomName
  readonly version: number
  readonly source: string
  readonly author: string
  /** The person who set it in this room; null for a script that a fork copied, and for old scripts. */
  readonly person?: PersonId | null
  readonly at: number
}

/** All versions, resets included. All methods reject with `StorageError` only. */
export interface ScriptStore {
  current(room: RoomName): Promise<StoredScript | undefined>
  put(script: Omit<StoredScript, 'version'>): Promise<StoredScript>
  versions(room: RoomName): Promise<readonly StoredScript[]>
}

/** The `model` of an instruction for all models. */
export const ALL_MODELS = ''

/** One version of a room's instruction for a model or `ALL_MODELS`; an empty `text` ends it. */
export interface StoredInstruction {
  readonly room: RoomName
  readonly model: string
  /** Counts this model's instructions in the room: 1, 2, 3, … */
  readonly version: number
  readonly text: string
  readonly author: string
  readonly at: number
}

/** All versions, by model, the newest first. All methods reject with `StorageError` only. */
export interface InstructionStore {
  /** Resolves to the texts for a model: the text for all models, then the model's own text. */
  current(room: RoomName, model: string): Promise<readonly string[]>
  put(instruction: Omit<StoredInstruction, 'version'>): Promise<StoredInstruction>
  versions(room: RoomName): Promise<readonly StoredInstruction[]>
}

/** An empty `text` means that the summary was cleared. */
export interface StoredSummary extends RoomSummary {
  readonly room: RoomName
}

/** Keeps a room's newest 100 versions, cleared ones included. Methods reject with `StorageError` only. */
export interface SummaryStore {
  current(room: RoomName): Promise<StoredSummary | undefined>
  versions(room: RoomName): Promise<readonly StoredSummary[]>
  /** Resolves to undefined, and stores nothing, if `replaces` is given and is not the newest version. */
  put(summary: Omit<StoredSummary, 'version'>, replaces?: number): Promise<StoredSummary | undefined>
}

interface RowsQuery {
  readonly encoding: string
  readonly maxRows: number
  readonly after?: EntryId
  readonly kinds?: readonly EntryKind[]
  readonly withoutThreads?: boolean
}

/** Reads the last version of entries that were not retracted. All methods reject with `StorageError` only. */
export interface HistoryStore {
  /**
   * Resolves to the newest rows, oldest first: `maxRows`, or until they have more than `maxTokens`. Estimates
   * an uncounted row at a token per eight bytes, which gives too few rows rather than too many.
   */
  newest(
    room: RoomName,
    query: RowsQuery & { readonly maxTokens: number; readonly before?: EntryId },
  ): Promise<readonly HistoryRow[]>
  /** Resolves to rows after an entry, or from the first entry, oldest first. */
  following(room: RoomName, query: RowsQuery): Promise<readonly HistoryRow[]>
  /** Resolves to the number of calls of each tool in a room, by id, without refused calls. */
  toolCalls(room: RoomName): Promise<Readonly<Record<string, number>>>
  saveCounts(encoding: string, counts: ReadonlyMap<EntryId, number>): Promise<void>
}

/** Factors are the provider's tokens per token of ours, at least 1; times are in ms. */
export interface Calibration {
  readonly factor: number
  /** The largest factor of long prompts, with a margin. Budgets use it for a day. */
  readonly most: number
  readonly mostAt: number
  readonly reports: number
  /** The number of reports in which the server seemed to have read only a part of the prompt. */
  readonly doubted: number
  readonly at: number
}

/** Calibrations by `calibrationKey`. All methods reject with `StorageError` only. */
export interface CalibrationStore {
  find(model: string): Promise<Calibration | undefined>
  put(model: string, calibration: Calibration): Promise<void>
}
