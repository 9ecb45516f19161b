import { LuaFactory } from 'wasmoon'
import { type LuaEngine, type LuaJob, WrapError } from '../../prompt/ports.ts'
import type { LuaBundle } from './bundle.ts'
import { luaLiteral, luaString } from './literal.ts'
import { readLuaJson } from './lua-json.ts'
import { type Answer, type LuaLimits, LuaState } from './lua-state.ts'

/** States kept, each with one script compiled in it; the room script used longest ago goes first. */
const mostStates = 8
/** A state that grew beyond this is closed rather than kept. */
const keepBytes = 16 * 1024 * 1024

/**
 * Lua 5.4 in WebAssembly. Each script has a state of its own in which it and the bundle are compiled once;
 * each job in it gets fresh environments (lua/sandbox.lua). Rejects if the bundle does not compile.
 */
export async function createWasmoonEngine(bundle: LuaBundle, limits: LuaLimits): Promise<LuaEngine> {
  const wasm = await new LuaFactory().getLuaModule()
  const states = new Map<string, LuaState>()

  const discard = (script: string): void => {
    states.get(script)?.close()
    states.delete(script)
  }
  const stateFor = (script: string): LuaState => {
    const state = states.get(script) ?? new LuaState(wasm, bundle, script, limits)
    states.delete(script)
    states.set(script, state)
    for (const oldest of states.keys()) {
      if (states.size <= mostStates) break
      discard(oldest)
    }
    return state
  }
  stateFor('')
  return {
    run(job) {
      const script = job.script ?? ''
      try {
        const state = stateFor(script)
        const text = state.run(`return ${luaLiteral(job.data)}`, answering(job), job.maxOutput)
        if (state.bytes() > keepBytes) discard(script)
        return readLuaJson(text)
      } catch (error) {
        // After a limit the state may hold anything; after a plain error nothing of it is left.
        if (!(error instanceof WrapError) || error.reason === 'limit') discard(script)
        throw error
      }
    },
    close() {
      for (const script of [...states.keys()]) discard(script)
    },
  }
}

/** The host's answers: a text as it is, another value as Lua, and an error where the host refused. */
function answering({ host }: LuaJob): Answer {
  return (name, argument) => {
    try {
      const value = host(name, readLuaJson(argument))
      if (typeof value === 'string' && !value.includes('\0')) return { text: value.toWellFormed() }
      return { code: `return ${luaLiteral(value)}` }
    } catch (error) {
      return { code: `error(${luaString(error instanceof Error ? error.message : String(error))}, 0)` }
    }
  }
}
