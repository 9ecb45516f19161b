/**
 * Prompts: what a model reads, composed from a snapshot of its room under an exact token budget. compose-prompt.ts has the steps:
 * the layers run in Lua (lua/), then the budget decides which of them fit. scope.ts decides which tools a turn has.
 *
 * This folder must not know how models are asked or tools run, who runs Lua and counts tokens, or how anything is
 * stored: for these it has ports. It runs in the server and in the wrap process, so it must not know files, `node:` or
 * npm packages. Composing must not know a clock either: the same snapshot gives the same bytes.
 */
import type { EntryId, EntryKind, RoomName } from '../chat/entry.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import type { Prompt } from './prompt.ts'
import type { HistoryRow, RoomScript, RoomSummary, Snapshot, Summary } from './snapshot.ts'

/** Composing failed. The message is for the room; it names the script and the line where a script is the reason. */
export class WrapError extends Error {
  override readonly name = 'WrapError'
  readonly reason: 'script' | 'budget' | 'limit' | 'argument' | 'process'
  constructor(reason: WrapError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Whether composing failed because what must be in the prompt has no space in the model's window. */
export const isOverBudget = (error: unknown): boolean =>
  error instanceof WrapError && error.reason === 'budget'

/** Turns a snapshot into a prompt outside of the server's process. A failure touches no other composition. */
export interface Composer extends AsyncDisposable {
  /** Rejects with `WrapError` only (and with the signal's reason when aborted). */
  compose(snapshot: Snapshot, signal?: AbortSignal): Promise<Prompt>
  /**
   * Compiles a room script and composes a trial prompt with it, at the cost of the trial's user: no prompt of a room
   * waits for it. `print` gets each line that the script prints, also where it fails. Rejects with `WrapError`.
   */
  check(source: string, trial: Snapshot, print?: (line: string) => void): Promise<void>
  /**
   * Runs a hook of a room's script, under the limits of a prompt and at the cost of the room. Rejects as `compose` does.
   */
  runHook(run: HookRun, signal?: AbortSignal): Promise<HookOutcome>
  /**
   * Tokens of each text in an encoding, however long they are together. Rejects with `WrapError`, also where there are too
   * many such requests at once.
   */
  count(encoding: string, texts: readonly string[]): Promise<readonly number[]>
}

/** The functions of a script that the server calls: before a tool runs, after a turn, and when somebody spoke. */
export type HookName = 'before_tool_call' | 'after_turn' | 'on_message'

/** One call of a hook. It is plain JSON, so that it can be sent to another process. */
export interface HookRun {
  readonly name: HookName
  readonly script: RoomScript
  /** The name of the person who set the script, and pays for what it costs. */
  readonly author: string
  readonly argument: JsonObject
  /** Milliseconds since the epoch: the only time that the script can see. */
  readonly now: number
  /** The room, without its exits: who can see them depends on who reads. */
  readonly room: {
    readonly name: RoomName
    readonly topic: string
    readonly vibe: string
    readonly private: boolean
    readonly todo: readonly { readonly content: string; readonly status: string }[]
    readonly values: { readonly [key: string]: Json }
  }
}

/** What came of it. */
export interface HookOutcome {
  /** Why the call may not run; only of `before_tool_call`. */
  readonly refusal?: string
  /** Key-values to store, in the order in which they were first set; null removes a key. */
  readonly values: readonly (readonly [key: string, value: Json])[]
  /** Lines of the hook's log. */
  readonly log: readonly string[]
}

/** Counts tokens in one encoding. Never throws, whatever the text. The time it takes is linear in the text's length. */
export interface TokenCounter {
  count(text: string): number
  /**
   * True if this text after any text that ends with a line break counts as the two do one by one. A counter that does not
   * know says false.
   */
  startsAnew(text: string): boolean
  /** The longest head of `text` of at most `tokens` tokens, cut on a token boundary and on whole characters. */
  head(text: string, tokens: number): string
  /** The longest tail, likewise. */
  tail(text: string, tokens: number): string
}

/** One run of the layers. */
export interface LuaJob {
  /** The room's own script; the bundled `default_wrap` alone when absent. */
  readonly script?: string
  /** What the module `snapshot` is in Lua. */
  readonly data: JsonObject
  /** Answers what Lua asks while it runs. Where it throws, the script gets the message as an error. */
  readonly host: (name: string, argument: Json) => Json
  /** Bytes of JSON that the job may return. */
  readonly maxOutput: number
}

/**
 * Runs the `compose` of lua/wrap.lua on a job. Each job has an environment of its own: no job sees what another left.
 * It blocks until the job is done, so it runs in a process that can be killed.
 */
export interface LuaEngine {
  /**
   * What `compose` returned, as JSON. Throws `WrapError`: 'script' with the script's name and line, 'limit'
   * for time, memory or output. After any throw the engine takes the next job.
   */
  run(job: LuaJob): Json
  /** Frees what the engine holds; it takes no more jobs. */
  close(): void
}

/** One version of a room's script. An empty `source` means that the script was reset to the bundled `default_wrap`. */
export interface StoredScript {
  readonly room: RoomName
  /** 1, 2, 3, … in each room. */
  readonly version: number
  readonly source: string
  readonly author: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Room scripts with all their versions. All methods reject with `StorageError` only. */
export interface ScriptStore {
  /** The newest version, a reset included. */
  current(room: RoomName): Promise<StoredScript | undefined>
  put(script: Omit<StoredScript, 'version'>): Promise<StoredScript>
  /** Newest first. */
  versions(room: RoomName): Promise<readonly StoredScript[]>
}

/** One version of a room's summary. An empty `text` means that it was cleared. */
export interface StoredSummary extends RoomSummary {
  readonly room: RoomName
}

/** A summary that is being made anew; it covers nothing yet where the ids are absent. */
export type SummaryDraft = Pick<Summary, 'text'> & Partial<Summary>

/** Rooms' summaries: of each room the newest 100 versions. All methods reject with `StorageError` only. */
export interface SummaryStore {
  /** The newest version, a cleared one included. */
  current(room: RoomName): Promise<StoredSummary | undefined>
  /** Newest first. */
  versions(room: RoomName): Promise<readonly StoredSummary[]>
  /**
   * Adds a version. With `replaces`, the number of the version that it was made from (0 for none), only where that is
   * still the newest: else nothing is stored, and it resolves to undefined.
   */
  put(summary: Omit<StoredSummary, 'version'>, replaces?: number): Promise<StoredSummary | undefined>
  draft(room: RoomName): Promise<SummaryDraft | undefined>
  /** Takes the place of the room's draft; `undefined` removes it. */
  putDraft(room: RoomName, draft: SummaryDraft | undefined): Promise<void>
  /** Adds a version and removes the draft, both or neither. */
  finishDraft(summary: Omit<StoredSummary, 'version'>): Promise<void>
}

/**
 * The stored rows that a prompt may use: the last version of what was edited, in the place of the first, and nothing of
 * what was taken back. All methods reject with `StorageError` only.
 */
export interface HistoryStore {
  /**
   * The newest rows of a room, given oldest first: reads from the newest back until `maxRows` rows, or until
   * the rows read hold more than `maxTokens` tokens. A row that was not counted yet is assumed to have a token for
   * every eight bytes, which reads too much rather than too little. The length of the log makes no difference.
   */
  newest(
    room: RoomName,
    query: {
      readonly encoding: string
      readonly maxRows: number
      readonly maxTokens: number
      readonly before?: EntryId
      readonly after?: EntryId
      readonly kinds?: readonly EntryKind[]
      readonly withoutThreads?: boolean
    },
  ): Promise<readonly HistoryRow[]>
  /** At most `maxRows` rows after an entry, or from the first on where it is absent, oldest first. */
  following(
    room: RoomName,
    query: {
      readonly encoding: string
      readonly maxRows: number
      readonly after?: EntryId
      readonly kinds?: readonly EntryKind[]
      readonly withoutThreads?: boolean
    },
  ): Promise<readonly HistoryRow[]>
  /** How often each tool ran in a room, by the tool's id; what was refused is not counted. */
  toolCalls(room: RoomName): Promise<Readonly<Record<string, number>>>
  /** Stores the tokens of rows in an encoding. Unknown ids are ignored; the same again changes nothing. */
  saveCounts(encoding: string, counts: ReadonlyMap<EntryId, number>): Promise<void>
}

/** How a provider's counts compare with ours. */
export interface Calibration {
  /** Counted tokens times this are what the provider usually counts; at least 1. */
  readonly factor: number
  /**
   * The most that it has counted or refused, with a margin, for each token of ours, in prompts that filled much of its
   * window; at least 1. Budgets keep to it for a day.
   */
  readonly most: number
  /** When `most` was last seen, in milliseconds since the epoch. */
  readonly mostAt: number
  /** Number of reports that it was learned from. */
  readonly reports: number
  /** Number of reports that taught nothing, because they looked as if the server had read only a part of the prompt. */
  readonly doubted: number
  /** Time of the last report, in milliseconds since the epoch. */
  readonly at: number
}

/** Calibrations on disk, by model (calibration.ts has the key). All methods reject with `StorageError` only. */
export interface CalibrationStore {
  find(model: string): Promise<Calibration | undefined>
  /** Takes the place of what was known of the model. */
  put(model: string, calibration: Calibration): Promise<void>
}
