import { LuaEngine, LuaType, type LuaWasm } from 'wasmoon'
import { WrapError } from '../../prompt/ports.ts'
import type { LuaBundle } from './bundle.ts'

/** What one composition may use. */
export interface LuaLimits {
  /** Milliseconds of processor time; calls into the library that take longer must be ended from outside. */
  readonly timeMs: number
  readonly memoryBytes: number
}

/** What the host says to a question: a piece of Lua that gives or raises it, or a text without NUL. */
export type Answer = (name: string, argument: string) => { readonly code: string } | { readonly text: string }

/** The text that lua/sandbox.lua lets no pcall swallow. */
const timeLimit = 'the script ran out of its time'
/** Instructions between two looks at the clock. */
const hookEvery = 10_000
/** LUA_MASKCOUNT and LUA_OK of lua.h. */
const countMask = 8
const luaOk: number = 0
const longestMessage = 500

/** A Lua state with the bundle and one script compiled in it. Throws `WrapError` if either does not compile. */
export class LuaState {
  readonly #engine: LuaEngine
  readonly #wasm: LuaWasm
  readonly #address: number
  readonly #limits: LuaLimits
  readonly #pointers: number[] = []
  #started: Started | undefined
  #answer: Answer = () => ({ code: 'return nil' })

  constructor(wasm: LuaWasm, bundle: LuaBundle, script: string, limits: LuaLimits) {
    this.#wasm = wasm
    this.#limits = limits
    // Never with proxies: through them a script could reach JavaScript's prototypes.
    this.#engine = new LuaEngine(wasm, { enableProxy: false, injectObjects: false, traceAllocations: true })
    this.#address = this.#engine.global.address
    this.#engine.global.setMemoryMax(limits.memoryBytes)
    try {
      this.#prepare(bundle, script)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Runs one composition on data given as Lua text. Returns JSON; throws `WrapError`. */
  run(data: string, answer: Answer, maxOutput: number): string {
    const { lua_pushvalue, lua_settop } = this.#wasm
    this.#answer = answer
    lua_settop(this.#address, 3)
    for (const slot of [1, 2]) lua_pushvalue(this.#address, slot)
    this.#load(data, '=snapshot')
    lua_pushvalue(this.#address, 3)
    return this.#timed(() => {
      const status = this.#wasm.lua_pcallk(this.#address, 3, 2, 0, 0, null)
      if (status !== luaOk) throw this.#problem(this.#text(-1))
      if (this.#wasm.lua_toboolean(this.#address, -2) === 0) throw this.#problem(this.#text(-1))
      return this.#output(maxOutput)
    })
  }

  /** Bytes that Lua holds. */
  bytes(): number {
    return this.#engine.global.getMemoryUsed()
  }

  close(): void {
    this.#wasm.lua_sethook(this.#address, null, 0, 0)
    this.#engine.global.close()
    for (const pointer of this.#pointers.splice(0)) this.#wasm.module.removeFunction(pointer)
  }

  /** Leaves three values on the stack: the sandbox's entry, the script or nil, and the way to the host. */
  #prepare(bundle: LuaBundle, script: string): void {
    const { lua_settop, lua_createtable, lua_setfield, lua_pushnil, lua_pushcclosure } = this.#wasm
    const sandbox = bundle.get('sandbox')
    if (sandbox === undefined) throw new WrapError('process', 'lua/sandbox.lua is missing')
    lua_settop(this.#address, 0)
    this.#load(sandbox, '=lua/sandbox.lua')
    lua_createtable(this.#address, 0, bundle.size)
    for (const [name, text] of bundle) {
      if (name === 'sandbox') continue
      this.#load(inEnvironment(text), `=lua/${name.replaceAll('.', '/')}.lua`)
      lua_setfield(this.#address, -2, name)
    }
    const status = this.#wasm.lua_pcallk(this.#address, 1, 1, 0, 0, null)
    if (status !== luaOk) throw this.#problem(this.#text(-1))
    if (script === '') lua_pushnil(this.#address)
    else this.#load(inEnvironment(script), '=script')
    lua_pushcclosure(
      this.#address,
      this.#pointer((state: number) => this.#reply(state), 'ii'),
      0,
    )
    const hook = this.#pointer((state: number) => this.#look(state), 'vii')
    this.#wasm.lua_sethook(this.#address, hook, countMask, hookEvery)
  }

  #pointer(handler: (state: number) => number | void, signature: string): number {
    const pointer = this.#wasm.module.addFunction(handler, signature)
    this.#pointers.push(pointer)
    return pointer
  }

  /** Text only: bytecode can do what no Lua program can. */
  #load(source: string, name: string): void {
    const { module } = this.#wasm
    const text = source.toWellFormed()
    const size = module.lengthBytesUTF8(text)
    const buffer = module._malloc(size + 1)
    try {
      module.stringToUTF8(text, buffer, size + 1)
      const status: number = this.#wasm.luaL_loadbufferx(this.#address, buffer, size, name, 't')
      if (status !== luaOk) throw this.#problem(this.#text(-1))
    } finally {
      module._free(buffer)
    }
  }

  #timed<T>(job: () => T): T {
    this.#started = { at: performance.now() }
    try {
      return job()
    } finally {
      this.#started = undefined
    }
  }

  #look(state: number): void {
    if (!this.#started || !isOver(this.#started, this.#limits.timeMs)) return
    this.#wasm.lua_pushstring(state, timeLimit)
    this.#wasm.lua_error(state)
  }

  /** Gives Lua the answer and whether it is a text. None of these have a NUL: JSON and Lua literals escape it. */
  #reply(state: number): number {
    const name = this.#wasm.lua_tolstring(state, 1, null)
    const argument = this.#wasm.lua_tolstring(state, 2, null)
    const answer = this.#answer(name, argument)
    const isText = 'text' in answer
    this.#wasm.lua_pushstring(state, isText ? answer.text : answer.code)
    this.#wasm.lua_pushboolean(state, isText ? 1 : 0)
    return 2
  }

  #output(maxOutput: number): string {
    const bytes = this.#wasm.lua_rawlen(this.#address, -1)
    if (bytes > maxOutput) {
      throw new WrapError('limit', `wrap: the layers are ${bytes} bytes, at most ${maxOutput} can be used`)
    }
    return this.#text(-1)
  }

  /** Never converts: `__tostring` of a script would run unprotected. */
  #text(index: number): string {
    const isText = this.#wasm.lua_type(this.#address, index) === LuaType.String
    return isText
      ? this.#wasm.lua_tolstring(this.#address, index, null)
      : 'the script raised an error that is not text'
  }

  #problem(message: string): WrapError {
    const { timeMs, memoryBytes } = this.#limits
    const line = message.split('\n', 1)[0]!.slice(0, longestMessage)
    if (line.includes(timeLimit)) return new WrapError('limit', `script: it runs longer than ${timeMs} ms`)
    if (line.includes('not enough memory')) {
      return new WrapError('limit', `script: it needs more than ${memoryBytes / 1024 / 1024} MiB of memory`)
    }
    return new WrapError(/^(\S+:\d+: )?wrap: /.test(line) ? 'argument' : 'script', line)
  }
}

interface Started {
  readonly at: number
  /** When the script had run for a while: asking takes longer than most scripts do. */
  cpu?: NodeJS.CpuUsage
}

/** Both clocks: a busy machine must not end an honest script, nor the compiler's threads. */
function isOver(started: Started, timeMs: number): boolean {
  started.cpu ??= process.cpuUsage()
  if (performance.now() - started.at < timeMs) return false
  const { user, system } = process.cpuUsage(started.cpu)
  return (user + system) / 1000 >= timeMs
}

/** On the first line, so that line numbers stay; the chunk's only argument is its environment. */
const inEnvironment = (source: string): string => `local _ENV = ...; ${source}`
