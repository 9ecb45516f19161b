import type { LuaEngine } from '../../prompt/ports.ts'
import type { LuaBundle } from './bundle.ts'
import type { LuaLimits } from './lua-state.ts'
import { createLuaInJsEngine } from './lua-in-js/engine.ts'
import { createWasmoonEngine } from './wasmoon.ts'

/** The engines that a config may name. */
export type EngineName = 'wasmoon' | 'lua-in-js'

type Open = (bundle: LuaBundle, limits: LuaLimits) => Promise<LuaEngine>

/** Engines that there are; the list is written by hand. */
const engines: Readonly<Record<EngineName, Open>> = {
  wasmoon: createWasmoonEngine,
  'lua-in-js': createLuaInJsEngine,
}

/** Starts an engine. Rejects if the bundle does not compile in it. */
export const openEngine = (name: EngineName, bundle: LuaBundle, limits: LuaLimits): Promise<LuaEngine> =>
  engines[name](bundle, limits)
