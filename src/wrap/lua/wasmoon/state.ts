// The default engine: Lua 5.4 as WebAssembly, by wasmoon. Knows its library and code shared by all engines,
// but not prompts or rooms.

import { createRequire } from 'node:module'
import type * as Wasmoon from 'wasmoon'
import type { WrapError } from '../../ports.ts'
import { dataChunk, type LuaChunk, type LuaProgram, scriptChunk } from '../bundle.ts'
import { luaError, type LuaLimits, TIME_LIMIT_ERROR } from '../limits.ts'
import { askHost, type HostAnswer } from '../lua-values.ts'
import type { LuaState, LuaStates, StateJob } from '../lua-states.ts'

/** Not imported, because Node would first search the file for names, which takes 70 ms of each process. */
const { LuaEngine, LuaFactory, LuaType }: typeof Wasmoon = createRequire(import.meta.url)('wasmoon')

/** The number of instructions between two checks of the clock. */
const HOOK_EVERY = 10_000
/** LUA_MASKCOUNT of lua.h. */
const COUNT_MASK = 8
/** LUA_OK of lua.h. */
const LUA_OK: number = 0

/** Gives each script its own Lua state, in which the script and the bundle are compiled once. */
export async function loadWasmoonStates(): Promise<LuaStates> {
  const wasm = await new LuaFactory().getLuaModule()
  return { isOnePerScript: true, open: (...given) => new WasmoonState(wasm, ...given) }
}

class WasmoonState implements LuaState {
  readonly #engine: Wasmoon.LuaEngine
  readonly #wasm: Wasmoon.LuaWasm
  readonly #address: number
  readonly #limits: LuaLimits
  readonly #pointers: number[] = []
  #started: ScriptStart | undefined
  #job: StateJob | undefined

  constructor(wasm: Wasmoon.LuaWasm, program: LuaProgram, limits: LuaLimits, script: string) {
    this.#wasm = wasm
    this.#limits = limits
    // No proxies, through which a script could reach JavaScript's prototypes.
    this.#engine = new LuaEngine(wasm, { enableProxy: false, injectObjects: false, traceAllocations: true })
    this.#address = this.#engine.global.address
    this.#engine.global.setMemoryMax(limits.memoryBytes)
    try {
      this.#prepare(program, script)
    } catch (error) {
      this.close()
      throw error
    }
  }

  run(job: StateJob): string {
    const { lua_pushvalue, lua_settop } = this.#wasm
    this.#job = job
    lua_settop(this.#address, 3)
    for (const slot of [1, 2]) lua_pushvalue(this.#address, slot)
    this.#load(dataChunk(job.data))
    lua_pushvalue(this.#address, 3)
    this.#started = { at: performance.now() }
    try {
      const status = this.#wasm.lua_pcallk(this.#address, 3, 2, 0, 0, null)
      if (status !== LUA_OK || this.#wasm.lua_toboolean(this.#address, -2) === 0) throw this.#error()
      return this.#text(-1)
    } finally {
      this.#started = undefined
    }
  }

  bytes(): number {
    return this.#engine.global.getMemoryUsed()
  }

  close(): void {
    this.#wasm.lua_sethook(this.#address, null, 0, 0)
    this.#engine.global.close()
    for (const pointer of this.#pointers.splice(0)) this.#wasm.module.removeFunction(pointer)
  }

  /** Leaves on the stack: the sandbox's entry, the script or nil, and the function that asks the host. */
  #prepare({ sandbox, modules }: LuaProgram, script: string): void {
    const { lua_settop, lua_createtable, lua_setfield, lua_pushnil, lua_pushcclosure } = this.#wasm
    lua_settop(this.#address, 0)
    this.#load(sandbox)
    lua_createtable(this.#address, 0, modules.length)
    for (const [module, chunk] of modules) {
      this.#load(chunk)
      lua_setfield(this.#address, -2, module)
    }
    const status = this.#wasm.lua_pcallk(this.#address, 1, 1, 0, 0, null)
    if (status !== LUA_OK) throw this.#error()
    if (script === '') lua_pushnil(this.#address)
    else this.#load(scriptChunk(script))
    lua_pushcclosure(
      this.#address,
      this.#pointer((state: number) => this.#reply(state), 'ii'),
      0,
    )
    const hook = this.#pointer((state: number) => this.#checkTime(state), 'vii')
    this.#wasm.lua_sethook(this.#address, hook, COUNT_MASK, HOOK_EVERY)
  }

  #pointer(handler: (state: number) => number | void, signature: string): number {
    const pointer = this.#wasm.module.addFunction(handler, signature)
    this.#pointers.push(pointer)
    return pointer
  }

  /** Loads only text, because bytecode can do things that no Lua program can. */
  #load({ name, source }: LuaChunk): void {
    const status = this.#withBytes(source.toWellFormed(), (pointer, size): number =>
      this.#wasm.luaL_loadbufferx(this.#address, pointer, size, `=${name}`, 't'),
    )
    if (status !== LUA_OK) throw this.#error()
  }

  /** `lua_pushstring` would return the text, which for a long text takes longer than all other work. */
  #push(state: number, text: string): void {
    this.#withBytes(text, (pointer, size) =>
      this.#wasm.module.ccall(
        'lua_pushlstring',
        null,
        ['number', 'number', 'number'],
        [state, pointer, size],
      ),
    )
  }

  /** Copies a text to Lua's memory while `use` runs. Node's encoder is much faster than Emscripten's. */
  #withBytes<T>(text: string, use: (pointer: number, size: number) => T): T {
    const { module } = this.#wasm
    const size = Buffer.byteLength(text)
    const pointer = module._malloc(size + 1)
    try {
      Buffer.from(module.HEAPU8.buffer, pointer, size).write(text)
      return use(pointer, size)
    } finally {
      module._free(pointer)
    }
  }

  #checkTime(state: number): void {
    if (!this.#started || !isTimeOver(this.#started, this.#limits.timeMs)) return
    this.#wasm.lua_pushstring(state, TIME_LIMIT_ERROR)
    this.#wasm.lua_error(state)
  }

  /** Pushes the answer, and whether the answer is a text. */
  #reply(state: number): number {
    const name = this.#wasm.lua_tolstring(state, 1, null)
    const argument = this.#wasm.lua_tolstring(state, 2, null)
    const answer: HostAnswer = this.#job ? askHost(this.#job.host, name, argument) : { code: 'return nil' }
    const isText = 'text' in answer
    if (isText) this.#job?.texts.keep(answer.text)
    this.#push(state, isText ? answer.text : answer.code)
    this.#wasm.lua_pushboolean(state, isText ? 1 : 0)
    return 2
  }

  /** Converts nothing, because a script's `__tostring` would run unprotected. */
  #text(index: number): string {
    const isText = this.#wasm.lua_type(this.#address, index) === LuaType.String
    return isText
      ? this.#wasm.lua_tolstring(this.#address, index, null)
      : 'the script raised an error that is not text'
  }

  #error(): WrapError {
    return luaError(this.#text(-1), this.#limits)
  }
}

interface ScriptStart {
  readonly at: number
  /** The CPU usage when the script had run for `UNWATCHED_MS`. */
  cpu?: NodeJS.CpuUsage
}

/** Ms before a script's CPU time is checked, because the check takes longer than most scripts. */
const UNWATCHED_MS = 20

/** Checks both clocks: neither a busy machine nor the compiler's threads may end an honest script. */
function isTimeOver(started: ScriptStart, timeMs: number): boolean {
  const ran = performance.now() - started.at
  if (ran < UNWATCHED_MS) return false
  started.cpu ??= process.cpuUsage()
  if (ran < timeMs) return false
  const { user, system } = process.cpuUsage(started.cpu)
  return (user + system) / 1000 >= timeMs
}
