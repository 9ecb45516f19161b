import type { LuaEngine } from '../../prompt/ports.ts'
import type { LuaBundle } from './bundle.ts'
import type { LuaLimits } from './limits.ts'
import { createEngine, type LuaStates } from './lua-states.ts'

/**
 * What an engine can lack of Lua 5.4 that its exam (test/contract/lua-engine-exam.ts) asks for. integers: of
 * 64 bits, beside floats. all lines: in the error about a function that has ended already, and about a chain
 * of `__index` without end, and about the end of the time. memory limit: one of its own; else a script that
 * takes too much ends the process.
 */
export type Lack = 'integers' | 'all lines' | 'memory limit'

/** A Lua engine that a config may name. */
interface EngineEntry {
  readonly name: string
  /** Loads it; nobody loads the others. */
  load(): Promise<LuaStates>
  /** The packages that its process reads, and with them what these depend on. */
  readonly packages: readonly string[]
  /** Exactly what it lacks: the exam fails for one thing too few and for one too many. */
  readonly lacks: readonly Lack[]
}

/** All engines; the first is for whoever names none. */
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

/** The name of an engine. */
export type EngineName = (typeof ENGINES)[number]['name']

/** The names of all engines, for a config. */
export const ENGINE_NAMES = ENGINES.map(({ name }) => name)

/** Starts an engine. Rejects if the bundle does not compile in it. */
export async function openEngine(name: EngineName, bundle: LuaBundle, limits: LuaLimits): Promise<LuaEngine> {
  return createEngine(await entryOf(name).load(), bundle, limits)
}

/** The packages that the process of an engine reads. */
export const packagesOf = (name: EngineName): readonly string[] => entryOf(name).packages

function entryOf(name: EngineName): EngineEntry {
  const entry = ENGINES.find((one) => one.name === name)
  if (!entry) throw new Error(`there is no Lua engine ${name}`)
  return entry
}
