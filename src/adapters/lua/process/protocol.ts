import type { Snapshot } from '../../../prompt/snapshot.ts'
import type { HookOutcome, HookRun } from '../../../prompt/ports.ts'
import type { LuaFiles } from '../bundle.ts'
import type { SentHistory } from '../sent-history.ts'
import type { SentTools } from '../sent-once.ts'
import type { SentPart } from '../sent-parts.ts'
import type { SentPrompt, UndefinedTool } from '../definitions-apart.ts'
import type { EngineName } from '../engines.ts'
import type { WrapError } from '../../../prompt/ports.ts'

/** What the server asks of a wrap process: one JSON line each, answered in order. */
export type Request =
  | {
      readonly id: number
      readonly kind: 'compose'
      readonly snapshot: Omit<Snapshot, 'tools' | 'history'>
      readonly tools: SentTools
      readonly history: SentHistory
    }
  | { readonly id: number; readonly kind: 'hook'; readonly run: HookRun }
  | {
      readonly id: number
      readonly kind: 'count'
      readonly encoding: string
      readonly texts: readonly string[]
    }

/** What it answers. The first is `ready`: Lua and the tokenizer are warm. */
export type Response =
  | { readonly kind: 'ready' }
  | { readonly kind: 'prompt'; readonly id: number; readonly prompt: SentPrompt; readonly printed: Printed }
  | { readonly kind: 'hook'; readonly id: number; readonly outcome: HookOutcome }
  | { readonly kind: 'counts'; readonly id: number; readonly counts: readonly number[] }
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly reason: WrapError['reason']
      readonly message: string
      readonly printed?: Printed
    }

/** A line of an answer: what often stays the same crosses once. */
export type ResponseLine =
  | Exclude<Response, { readonly kind: 'prompt' }>
  | {
      readonly kind: 'prompt'
      readonly id: number
      readonly prompt: Omit<SentPrompt, 'system' | 'tools'>
      readonly system: SentPart<string>
      readonly tools: SentPart<readonly UndefinedTool[]>
      readonly printed: Printed
    }

/** The lines that a script printed. */
type Printed = readonly string[]

/** What a wrap process is started with, as its one argument, in JSON. */
export interface Settings {
  readonly engine: EngineName
  /** The bundled Lua. */
  readonly lua: LuaFiles
  readonly timeMs: number
  readonly memoryBytes: number
  /** Encodings to load before saying `ready`. */
  readonly warm: readonly string[]
}
