/**
 * Prompts: what a model reads, composed from a snapshot of its room under an exact token budget, in layers written in Lua.
 * This folder must not know how models are asked or tools run, who runs Lua and counts tokens, or how anything is stored.
 */
import type { EntryId, EntryKind, RoomName } from '../chat/entry.ts'
import type { Json, JsonObject } from '../lib/json.ts'
import type { Prompt } from './prompt.ts'
import type { HistoryRow, Snapshot } from './snapshot.ts'

/** Composing failed; the message is for the room, with the script's name and line where there is one. */
export class WrapError extends Error {
  override readonly name = 'WrapError'
  readonly reason: 'script' | 'budget' | 'limit' | 'argument' | 'process'
  constructor(reason: WrapError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Turns a snapshot into a prompt, away from the chat. One failure never touches another composition. */
export interface Composer extends AsyncDisposable {
  /** Rejects with `WrapError` only (and with the signal's reason when aborted). */
  compose(snapshot: Snapshot, signal?: AbortSignal): Promise<Prompt>
  /** Compiles a room script and composes a trial prompt with it. Rejects with `WrapError`. */
  check(source: string, trial: Snapshot): Promise<void>
  /** Tokens of each text in an encoding. Rejects with `WrapError`. */
  count(encoding: string, texts: readonly string[]): Promise<readonly number[]>
}

/** Counts tokens in one encoding. Never throws for any string; pathological runs stay linear. */
export interface TokenCounter {
  count(text: string): number
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
  /** What Lua may ask while it runs; JSON in, JSON out. A throw becomes an error in the script. */
  readonly host: (name: string, argument: Json) => Json
  /** Bytes of JSON that may come back. */
  readonly maxOutput: number
}

/**
 * Runs lua/compose.lua on a job, in an environment that nothing survives: no job sees what another one left.
 * Synchronous: whoever calls it is a process that may be killed.
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

/** A room's script, one of its versions. An empty `source` is a reset: the bundled `default_wrap` again. */
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

/** The stored rows that a prompt may use. All methods reject with `StorageError` only. */
export interface HistoryStore {
  /**
   * The newest rows of a room, given oldest first: reads from the newest back until `maxRows` rows, or until
   * the rows read hold more than `maxTokens` tokens; a row not counted yet is taken for a token per eight
   * bytes, so that too much is read rather than too little. Never reads more than that, however long the log.
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
  /** Remembers what rows cost in an encoding. Unknown ids are ignored; the same again changes nothing. */
  saveCounts(encoding: string, counts: ReadonlyMap<EntryId, number>): Promise<void>
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

/** Calibrations on disk, by model (prompt/calibration.ts has the key). All methods reject with `StorageError` only. */
export interface CalibrationStore {
  find(model: string): Promise<Calibration | undefined>
  /** Stores what `change` makes of what is known, nothing where it gives undefined; no two changes at once. */
  change(model: string, change: (known: Calibration | undefined) => Calibration | undefined): Promise<void>
}
