import { type LuaEngine, type LuaJob, WrapError } from '../../prompt/ports.ts'
import { type LuaBundle, type LuaProgram, programOf } from './bundle.ts'
import { checkOutput, type LuaLimits } from './limits.ts'
import { createGivenTexts, type GivenTexts } from './given-texts.ts'
import { readLuaJson } from './lua-values.ts'

/** A job, and where the texts are kept that its host gives. */
export interface StateJob extends LuaJob {
  readonly texts: GivenTexts
}

/** The bundle, compiled, and what scripts were compiled beside it. */
export interface LuaState {
  /** Runs one composition; gives what it returned, in the JSON of lua/json.lua. Throws `WrapError`. */
  run(job: StateJob): string
  /** Bytes that it holds, where it knows. */
  bytes?(): number
  close?(): void
}

/** What each engine has of its own. */
export interface LuaStates {
  /** Whether every script has a state of its own, or all share one. */
  readonly isOnePerScript: boolean
  /**
   * Throws `WrapError` where the bundle or the script does not compile; all share the state of the empty
   * script.
   */
  open(program: LuaProgram, limits: LuaLimits, script: string): LuaState
}

/** States kept; the one used longest ago goes first. */
const MAX_STATES = 8
/** A state that holds more than this is not kept. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** Nor is one that ran so often: what was loaded may stay in it. */
const MAX_RUNS = 500

interface Kept {
  readonly state: LuaState
  runs: number
}

/** An engine that keeps states for its next jobs. Throws where the bundle does not compile. */
export function createEngine(states: LuaStates, bundle: LuaBundle, limits: LuaLimits): LuaEngine {
  const program = programOf(bundle)
  const kept = new Map<string, Kept>()
  const discard = (key: string): void => {
    kept.get(key)?.state.close?.()
    kept.delete(key)
  }
  const take = (key: string): Kept => {
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
        // After a limit a state may hold anything; after a plain error nothing of it is left.
        if (!(error instanceof WrapError) || error.reason === 'limit') discard(key)
        throw error
      }
    },
    close() {
      for (const key of [...kept.keys()]) discard(key)
    },
  }
}
