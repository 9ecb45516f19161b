import type { LuaEngine } from '../ports.ts'
import type { LuaBundle } from './bundle.ts'
import type { LuaLimits } from './limits.ts'
import { createEngine, type LuaStates } from './lua-states.ts'

/**
 * Features of Lua 5.4 that an engine may lack, checked by test/contract/lua-engine-exam.ts. integers: 64
 * bits, beside floats. all lines: line numbers in errors about an ended function, an endless chain of
 * `__index`, and the time limit. memory limit: the engine's own; without it, a script that takes too much
 * ends the process.
 */
export type Lack = 'integers' | 'all lines' | 'memory limit'

/** A Lua engine that a config may name. */
interface EngineEntry {
  readonly name: string
  /** Loads only this engine. */
  load(): Promise<LuaStates>
  /** Packages that the engine's process reads, with their dependencies. */
  readonly packages: readonly string[]
  /** Exactly the lacking features: the contract test fails for one too few or too many. */
  readonly lacks: readonly Lack[]
}

/** All engines; the first is the default. */
export const ENGINES = [
  {
    name: 'wasmoon',
    load: async () => (await import('./wasmoon/state.ts')).loadWasmoonStates(),
    packages: ['wasmoon'],
    lacks: [],
  },
  {
    name: 'lua-in-js',
    load: async () => (await import('./lua-in-js/state.ts')).luaInJsStates,
    packages: ['lua-in-js', 'luaparse'],
    lacks: ['integers', 'all lines', 'memory limit'],
  },
] as const satisfies readonly EngineEntry[]

export type EngineName = (typeof ENGINES)[number]['name']

export const ENGINE_NAMES = ENGINES.map(({ name }) => name)

/** Rejects if the bundle does not compile in the engine. */
export async function openEngine(name: EngineName, bundle: LuaBundle, limits: LuaLimits): Promise<LuaEngine> {
  return createEngine(await entryOf(name).load(), bundle, limits)
}

export const packagesOf = (name: EngineName): readonly string[] => entryOf(name).packages

function entryOf(name: EngineName): EngineEntry {
  const entry = ENGINES.find((one) => one.name === name)
  if (!entry) throw new Error(`there is no Lua engine ${name}`)
  return entry
}
