import { type LuaEngine, type LuaJob, WrapError } from '../ports.ts'
import { type LuaBundle, type LuaProgram, programOf } from './bundle.ts'
import { checkOutput, type LuaLimits } from './limits.ts'
import { createGivenTexts, type GivenTexts } from './given-texts.ts'
import { readLuaJson } from './lua-values.ts'

/** A job, with the texts from its host. */
export interface StateJob extends LuaJob {
  readonly texts: GivenTexts
}

/** The compiled bundle, and the scripts compiled beside it. */
export interface LuaState {
  /** Runs one composition; returns its result in the JSON of lua/json.lua. Throws `WrapError`. */
  run(job: StateJob): string
  /** The state's bytes; absent if unknown. */
  bytes?(): number
  close?(): void
}

/** The operations that differ between engines. */
export interface LuaStates {
  /** True if every script has its own state; false if all scripts share one state. */
  readonly isOnePerScript: boolean
  /** Opens a state; a shared one has an empty script. Throws `WrapError` if some Lua does not compile. */
  open(program: LuaProgram, limits: LuaLimits, script: string): LuaState
}

/** The number of cached states; the least recently used is dropped first. */
const MAX_STATES = 8
/** A state with more bytes is not cached. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** A state that ran more often is not cached, because loaded data may stay in it. */
const MAX_RUNS = 500

interface ReusedState {
  readonly state: LuaState
  runs: number
}

/** Creates an engine that caches states for its next jobs. Throws if the bundle does not compile. */
export function createEngine(states: LuaStates, bundle: LuaBundle, limits: LuaLimits): LuaEngine {
  const program = programOf(bundle)
  const kept = new Map<string, ReusedState>()
  const discard = (key: string): void => {
    kept.get(key)?.state.close?.()
    kept.delete(key)
  }
  const take = (key: string): ReusedState => {
    const taken = kept.get(key) ?? { state: states.open(program, limits, key), runs: 0 }
    taken.runs += 1
    kept.delete(key)
    kept.set(key, taken)
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_STATES) break
      discard(oldest)
    }
    return taken
  }
  take('')
  return {
    run(job) {
      const key = states.isOnePerScript ? (job.script ?? '') : ''
      try {
        const { state, runs } = take(key)
        const texts = createGivenTexts()
        const text = state.run({ ...job, texts })
        if (runs > MAX_RUNS || (state.bytes?.() ?? 0) > MAX_KEPT_BYTES) discard(key)
        const size = Buffer.byteLength(text)
        checkOutput(size, job.maxOutput)
        const { value, bytes } = texts.putBack(readLuaJson(text))
        checkOutput(size + bytes, job.maxOutput)
        return value
      } catch (error) {
        // After a limit, a state may contain anything; a plain error leaves nothing in it.
        if (!(error instanceof WrapError) || error.reason === 'limit') discard(key)
        throw error
      }
    },
    close() {
      for (const key of [...kept.keys()]) discard(key)
    },
  }
}
