import type { CatalogueTool, HistoryRow, Snapshot } from '../../snapshot.ts'
import type { HookOutcome, HookRun, WrapError } from '../../ports.ts'
import type { LuaFiles } from '../bundle.ts'
import type { PackedList } from '../deduplicate.ts'
import type { SentPrompt, ToolWithoutDefinition } from '../definitions-apart.ts'
import type { EngineName } from '../engines.ts'

/** A request to a wrap process: one JSON line, answered by one line. */
export type Request =
  | {
      readonly kind: 'compose'
      readonly snapshot: Omit<Snapshot, 'tools' | 'history'>
      readonly tools: PackedList<CatalogueTool>
      readonly history: PackedList<HistoryRow>
    }
  | { readonly kind: 'hook'; readonly run: HookRun }
  | { readonly kind: 'count'; readonly encoding: string; readonly texts: readonly string[] }

/** An answer of a wrap process. The first is `ready`, when Lua and the tokenizer are warm. */
export type Response =
  | { readonly kind: 'ready' }
  | { readonly kind: 'prompt'; readonly prompt: SentPrompt; readonly printed: PrintedLines }
  | { readonly kind: 'hook'; readonly outcome: HookOutcome }
  | { readonly kind: 'counts'; readonly counts: readonly number[] }
  | {
      readonly kind: 'failed'
      readonly reason: WrapError['reason']
      readonly message: string
      readonly printed?: PrintedLines
    }

/** A line of an answer. Parts that often stay the same are packed as lists of one item. */
export type ResponseLine =
  | Exclude<Response, { readonly kind: 'prompt' }>
  | {
      readonly kind: 'prompt'
      readonly prompt: Omit<SentPrompt, 'system' | 'tools'>
      readonly system: PackedList<string>
      readonly tools: PackedList<readonly ToolWithoutDefinition[]>
      readonly printed: PrintedLines
    }

type PrintedLines = readonly string[]

/** Settings of a wrap process: its one argument, in JSON. */
export interface Settings {
  readonly engine: EngineName
  readonly lua: LuaFiles
  readonly timeMs: number
  readonly memoryBytes: number
  /** Encodings to load before sending `ready`. */
  readonly warm: readonly string[]
}
