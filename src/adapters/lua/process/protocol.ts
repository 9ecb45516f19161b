import type { Prompt } from '../../../prompt/prompt.ts'
import type { CatalogueTool, Snapshot } from '../../../prompt/snapshot.ts'
import type { EngineName } from '../engines.ts'
import type { WrapError } from '../../../prompt/ports.ts'

/** The tools of one snapshot, for a process that may have been sent them before. */
export interface ToolParcel {
  /** Content hashes, in order. */
  readonly tools: readonly string[]
  /** Those that this process was not sent yet, by hash. */
  readonly fresh: { readonly [hash: string]: CatalogueTool }
  /** True to forget all that was sent before; `fresh` then has everything. */
  readonly forget: boolean
}

/** What the server asks of a wrap process: one JSON line each, answered in order. */
export type Request =
  | {
      readonly id: number
      readonly kind: 'compose'
      readonly snapshot: Omit<Snapshot, 'tools'>
      readonly parcel: ToolParcel
    }
  | {
      readonly id: number
      readonly kind: 'count'
      readonly encoding: string
      readonly texts: readonly string[]
    }

/** What it answers; the first line of all is `ready`, when Lua and the tokenizer are warm. */
export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'prompt'; readonly id: number; readonly prompt: Prompt }
  | { readonly kind: 'counts'; readonly id: number; readonly counts: readonly number[] }
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly reason: WrapError['reason']
      readonly message: string
    }

/** What a wrap process is started with, as its one argument, in JSON. */
export interface Settings {
  readonly engine: EngineName
  /** Directory of the bundled Lua. */
  readonly lua: string
  readonly timeMs: number
  readonly memoryBytes: number
  /** Encodings to load before saying `ready`. */
  readonly warm: readonly string[]
}
