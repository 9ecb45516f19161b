import type { LuaEngine } from '../../wrap/ports.ts'
import type { LuaBundle } from './bundle.ts'
import type { LuaLimits } from './lua-state.ts'
import { createWasmoonEngine } from './wasmoon.ts'

/** The engines that a config may name. */
export type EngineName = 'wasmoon' | 'lua-in-js'

type Open = (bundle: LuaBundle, limits: LuaLimits) => Promise<LuaEngine>

/** Engines that there are; the list is written by hand. */
const engines: ReadonlyMap<EngineName, Open> = new Map([['wasmoon', createWasmoonEngine]])

/** Starts an engine. Rejects if this version has none of that name, or if the bundle does not compile in it. */
export async function openEngine(name: EngineName, bundle: LuaBundle, limits: LuaLimits): Promise<LuaEngine> {
  const open = engines.get(name)
  if (!open) throw new Error(`this version has no Lua engine ${name}; write engine = "wasmoon" under [lua]`)
  return open(bundle, limits)
}
