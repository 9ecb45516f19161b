import type * as LuaInJs from 'lua-in-js'
import type { LuaChunk, LuaProgram } from '../bundle.ts'

/** A Lua value; undefined is nil. */
export type Value = Parameters<typeof LuaInJs.utils.type>[0]
/** Functions by Lua name, or operators by their names in generated code. */
export type Functions = Record<string, (left?: Value, right?: Value, ...more: readonly Value[]) => unknown>
/** The object `__lua` of generated code. */
type Operators = Functions & { readonly globalScope: { get(name: string): LuaInJs.Table } }
/** The bundle to compile; or a script to run, which may be empty, and Lua that returns its data. */
export type RealmRequest = LuaProgram | { readonly script: LuaChunk; readonly data: LuaChunk }
export type Call = (f: Value, ...given: readonly Value[]) => readonly Value[]
export type ToText = (value: Value) => string

/** The functions below. Each is sent to the context as text by itself. */
export interface RealmParts {
  readonly createErrors: typeof createErrors
  readonly repairTables: typeof repairTables
  readonly createOperators: typeof createOperators
  readonly createLibrary: typeof createLibrary
  readonly createStrings: (call: Call, text: ToText) => Functions
}

/**
 * Repairs lua-in-js. Sent to the context as text; its strings have one character per byte. Returns a function
 * that answers a request with `+` and text or `-` and an error. No Lua value leads to the host's `ask`.
 */
export function createRealm(
  parts: RealmParts,
  open: (Function: unknown) => typeof LuaInJs,
  ask: (name: string, argument: string) => string,
): (request: RealmRequest) => string {
  const generate = Function
  const errors = parts.createErrors()
  let operators: Operators | undefined
  /** Replaces `Function`, with which lua-in-js compiles the JavaScript that it generates. */
  function Shim(_: string, js: string) {
    const traced = errors.trace(js)
    return (theirs: Operators): unknown => generate('__lua', traced)((operators ??= repair(theirs)))
  }
  Shim.prototype = Function.prototype
  const library = open(Shim)
  const { Table, utils } = library
  const lua = library.createEnv()
  parts.repairTables(Table, errors.fail)
  const { call, get, text, repair } = parts.createOperators(library, errors.fail, () => globals.get('string'))
  const compile = ({ name, source }: LuaChunk, environment: Value = globals): Value => {
    errors.begin(name)
    return call(lua.parse(source).exec(), environment)[0]
  }
  // The first chunk reveals the globals, which lua-in-js hides.
  lua.parse('').exec()
  const globals = operators?.globalScope.get('_G') ?? new Table()
  const reseed = get(globals.get('math'), 'randomseed')
  const { base, ...others } = parts.createLibrary(Table, errors, { call, get, text, compile, reseed })
  Object.assign(globals.strValues, base)
  for (const [name, functions] of Object.entries({ string: parts.createStrings(call, text), ...others })) {
    const known = globals.get(name)
    lua.loadLib(name, new Table({ ...(known instanceof Table ? known.strValues : {}), ...functions }))
  }
  const scripts = new Map<string, Value>()
  let compose: Value
  // `attempt` hides errors of another realm, which must not reach scripts.
  const host = (name: Value, argument: Value): readonly Value[] =>
    errors.attempt(() => {
      const answer = ask(text(name), text(argument))
      return [answer.slice(1), answer[0] === '+']
    })
  const handle = (request: RealmRequest): readonly Value[] => {
    if ('data' in request) {
      const script = scripts.get(request.script.source) ?? compile(request.script)
      scripts.set(request.script.source, script)
      return call(compose, script, compile(request.data), host)
    }
    const modules = request.modules.map(([name, chunk]): [string, Value] => [name, compile(chunk)])
    compose = call(compile(request.sandbox), new Table(Object.fromEntries(modules)))[0]
    return [true, '']
  }
  return (request) => {
    const [isDone, result] = errors.attempt(() => handle(request), false)
    return (isDone === true ? '+' : '-') + utils.tostring(result).replace(/[^\0-\xff]/g, '?')
  }
}

/** Errors as scripts see them, with lines of Lua. */
export function createErrors() {
  const chunks: { readonly name: string; readonly lines: readonly number[] }[] = []
  let chunkName = ''
  /** The places of an error and its callers in Lua, such as `script:3:`. */
  const placesOf = ({ stack = '' }: Error): readonly string[] =>
    [...stack.matchAll(/^ +at .*\blua(\d+):(\d+):\d+\)?$/gm)].map(([, chunk, row]) => {
      const { name, lines } = chunks[Number(chunk)] ?? { name: '?', lines: [] }
      return `${name}:${lines[Number(row) - 3]}:`
    })
  const valueOf = (error: unknown): Value => {
    if (!(error instanceof Error) || 'value' in error) return (error as { value?: Value }).value
    const [, line, said = error.message] = /^\[(\d+):\d+\] (.*)/.exec(error.message) ?? []
    if (line) return `${chunkName}:${line}: ${said.replace('<expression> expected', 'unexpected symbol')}`
    const limit = said.includes('call stack') ? 'stack overflow' : 'not enough memory'
    const problem = error instanceof TypeError ? 'attempt to index a nil value' : said
    return `${placesOf(error)[0] ?? ''} ${error instanceof RangeError ? limit : problem}`.trimStart()
  }
  return {
    placesOf,
    begin: (name: string) => void (chunkName = name),
    /** Names generated code, so that `placesOf` finds its lines. */
    trace(js: string): string {
      let line = 0
      const lines = js.split('\n').map((text) => (line = Number(/^\/\*(\d+)/.exec(text)?.[1] ?? line)))
      return `${js}\n//# sourceURL=lua${chunks.push({ name: chunkName, lines }) - 1}`
    },
    fail(message: string): never {
      throw new Error(message)
    },
    /** Returns the results of `run`, or `failed` and the error as a script sees it. */
    attempt(run: () => readonly Value[], failed?: Value): readonly Value[] {
      try {
        return run()
      } catch (error) {
        return [failed, valueOf(error)]
      }
    },
  }
}

type RepairedTable = Omit<LuaInJs.Table, 'keys'> & { readonly keys: Value[] }

/** lua-in-js stores keys that are neither text nor list indexes as text; here they keep their types. */
export function repairTables({ prototype }: typeof LuaInJs.Table, fail: (message: string) => never): void {
  const isPlace = (key: Value): key is number => typeof key === 'number' && key > 0 && Number.isInteger(key)
  Object.assign<object, Partial<RepairedTable> & ThisType<RepairedTable>>(prototype, {
    rawget(key) {
      if (typeof key === 'string') return Object.hasOwn(this.strValues, key) ? this.strValues[key] : undefined
      return isPlace(key) ? this.numValues[key] : this.values[this.keys.indexOf(key)]
    },
    rawset(key, value) {
      if (key === undefined || Number.isNaN(key)) fail(`table index is ${key === undefined ? 'nil' : 'NaN'}`)
      if (typeof key === 'string') this.strValues[key] = value
      else if (isPlace(key)) this.numValues[key] = value
      else this.values[this.keys.includes(key) ? this.keys.indexOf(key) : this.keys.push(key) - 1] = value
      if (value === undefined) this.getn()
    },
    getn() {
      while (this.numValues.length > 1 && this.numValues.at(-1) === undefined) this.numValues.pop()
      return this.numValues.length - 1
    },
  })
}

/** Repairs operators that take nil for a number or text, and that evaluate both sides of `and` and `or`. */
export function createOperators(
  { Table, utils: { type, tostring, coerceToBoolean: isTrue } }: typeof LuaInJs,
  fail: (message: string) => never,
  strings: () => Value,
) {
  const call: Call = (f, ...given) => {
    const handler = f instanceof Table ? f.metatable?.rawget('__call') : f
    if (typeof handler !== 'function') return fail(`attempt to call a ${type(f)} value`)
    const results = handler === f ? handler(...given) : handler(f, ...given)
    return Array.isArray(results) ? results : [results]
  }
  const get = (from: Value, key: Value): Value => {
    if (from instanceof Table) return from.get(key)
    if (typeof from === 'string') return get(strings(), key)
    return fail(`attempt to index a ${type(from)} value`)
  }
  const text: ToText = (it) =>
    /string|number/.test(typeof it) ? tostring(it) : fail(`attempt to concatenate a ${type(it)} value`)
  function repair(theirs: Operators): Operators {
    const own: Functions = {
      call,
      get,
      and: (left, right) => (isTrue(left) ? call(right)[0] : left),
      or: (left, right) => (isTrue(left) ? left : call(right)[0]),
      method: (object, key, ...given) => call(get(object, key), object, ...given),
    }
    const arithmetic = 'add sub mul div mod pow idiv band bor bxor shl shr unm'
    const acts = { 'perform arithmetic on': arithmetic, concatenate: 'concat', compare: 'lt le gt ge' }
    for (const [act, names] of Object.entries(acts))
      for (const name of names.split(' '))
        own[name] = (...given) =>
          given.includes(undefined) ? fail(`attempt to ${act} a nil value`) : theirs[name]?.(...given)
    return Object.assign({}, theirs, own)
  }
  return { call, get, text, repair }
}

/** Functions that the library lacks or has wrong, except strings; `base` are globals. */
export function createLibrary(
  Table: typeof LuaInJs.Table,
  { placesOf, attempt }: Pick<ReturnType<typeof createErrors>, 'placesOf' | 'attempt'>,
  lua: {
    readonly call: Call
    readonly get: (from: Value, key: Value) => Value
    readonly text: ToText
    readonly compile: (chunk: LuaChunk, environment?: Value) => Value
    readonly reseed: Value
  },
) {
  const { call, text } = lua
  const step = (list: Value, index: number): unknown => {
    const value = lua.get(list, index + 1)
    return value === undefined ? undefined : [index + 1, value]
  }
  const base: Functions = {
    error(value, level = 1) {
      const error = new Error()
      const place = placesOf(error)[Number(level) - 1]
      throw Object.assign(error, { value: typeof value === 'string' && place ? `${place} ${value}` : value })
    },
    pcall: (f, ...given) => attempt(() => [true, ...call(f, ...given)], false),
    load: (source, name, _mode, environment) =>
      attempt(() => [
        lua.compile({ name: text(name).replace(/^[=@]/, ''), source: text(source) }, environment),
      ]),
    ipairs: (list) => [step, list, 0],
  }
  const math: Functions = {
    tointeger: (value) => (Number.isInteger(value) ? value : undefined),
    randomseed: (seed) => call(lua.reseed, Number(seed) + 1),
    type: (it) => (typeof it === 'number' ? (Number.isInteger(it) ? 'integer' : 'float') : undefined),
  }
  const utf8: Functions = {
    char: (...codes) => unescape(encodeURIComponent(String.fromCodePoint(...codes.map(Number)))),
    len: (value) => Array.from(decodeURIComponent(escape(text(value)))).length,
  }
  const debug: Functions = {
    getinfo(level) {
      const [, name, line] = /^(.*):(\d+):$/.exec(placesOf(new Error())[Number(level) - 1] ?? '') ?? []
      return name === undefined ? undefined : new Table({ source: `=${name}`, currentline: Number(line) })
    },
  }
  return { base, math, utf8, debug }
}
