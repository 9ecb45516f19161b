import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { constants, createContext, runInContext, runInNewContext, Script } from 'node:vm'
import type { Json } from '../../../lib/json.ts'
import { LuaSyntaxError } from './rewrite/parse.ts'
import { rewriteLua } from './rewrite/rewrite.ts'
import { addAccess } from './runtime/access.ts'
import { addArguments } from './runtime/arguments.ts'
import { addArithmetic } from './runtime/arithmetic.ts'
import { addBase } from './runtime/base.ts'
import { addCalls } from './runtime/calls.ts'
import { addCompiler } from './runtime/compiler.ts'
import { addEntry, type Order, type Outcome } from './runtime/entry.ts'
import { addFormat } from './runtime/format.ts'
import { addMath } from './runtime/math.ts'
import { addNumbers } from './runtime/numbers.ts'
import { addPatterns } from './runtime/patterns.ts'
import { addStrings } from './runtime/strings.ts'
import { addTables } from './runtime/tables.ts'
import { addUtf8 } from './runtime/utf8.ts'
import { addValues } from './runtime/values.ts'

/** What scripts ask while one order is carried out: text in, JSON out. */
export type Answer = (name: string, argument: string) => Json

/** A realm with nothing in it but the JavaScript language, lua-in-js and our library. */
export interface Context {
  /**
   * Ends after this many milliseconds, also by throwing `ERR_SCRIPT_EXECUTION_TIMEOUT`; the context is then
   * of no more use.
   */
  order(order: Order, timeMs: number, answer: Answer): Outcome
}

/** Within one call of the library nobody looks at the clock: then V8 ends it, after this many times the limit. */
const inLibrary = 3

/** In this order: each part uses what the ones before it have added. */
const parts = [
  addValues,
  addNumbers,
  addArguments,
  addArithmetic,
  addAccess,
  addCalls,
  addPatterns,
  addStrings,
  addFormat,
  addTables,
  addBase,
  addMath,
  addUtf8,
]

/** A new context whose scripts may hold this many bytes. */
export function createLuaContext(memoryBytes: number): Context {
  // Not an object of ours: whoever could climb from it to its prototypes would be in our realm.
  const global = createContext(constants.DONT_CONTEXTIFY) as { order?: unknown; input?: string }
  let answer: Answer = () => null
  const scale = createScale(memoryBytes)
  const bridge = (kind: string, argument: string): string => {
    try {
      return asked(kind, JSON.parse(argument) as readonly string[], answer)
    } catch (error) {
      return toBytes(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
    }
  }
  const boot = runInContext(bootText(), global) as (
    bridge: (kind: string, argument: string) => string,
    isTooMuch: (more: number) => boolean,
    isLate: () => boolean,
  ) => void
  let isLate = (): boolean => false
  boot(bridge, scale.isTooMuch, () => isLate())
  const script = new Script('order(input)')
  return {
    order(order, timeMs, given) {
      answer = given
      isLate = createStopwatch(timeMs)
      const timeout = timeMs * inLibrary
      scale.reset()
      global.input = toBytes(JSON.stringify(order))
      return JSON.parse(fromBytes(script.runInContext(global, { timeout }) as string)) as Outcome
    },
  }
}

/** JSON. Texts from a context have a character a byte, and so have rewritten ones; the host's are UTF-8. */
function asked(
  kind: string,
  [first = '', second = '', third = '0']: readonly string[],
  answer: Answer,
): string {
  if (kind === 'host') return toBytes(JSON.stringify({ value: answer(first, fromBytes(second)) }))
  try {
    return JSON.stringify(rewriteLua(first, second, Number(third)))
  } catch (error) {
    if (error instanceof LuaSyntaxError) return JSON.stringify({ error: error.message })
    throw error
  }
}

const toBytes = (text: string): string => Buffer.from(text.toWellFormed(), 'utf8').toString('latin1')
const fromBytes = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')

/**
 * Source of the function that fills a context. The two functions of the host that it takes stay in its
 * closures and deal in plain strings, numbers and booleans.
 */
function bootText(): string {
  const require = createRequire(import.meta.url)
  return `'use strict';
(function (bridge, isTooMuch, isLate) {
  const lua = {}
  let since = 0
  lua.charge = (bytes) => {
    since += bytes
    if (since < 1048576) return
    since = 0
    if (isTooMuch(bytes)) throw new lua.Limit('memory')
  }
  let ticks = 0
  lua.tick = () => {
    ticks += 1
    if (ticks < 5000) return
    ticks = 0
    if (isLate()) throw new lua.Limit('time')
  }
  const ask = (kind, ...rest) => {
    const order = JSON.stringify(rest)
    try {
      return JSON.parse(bridge(kind, order))
    } catch {
      // It throws nothing of its own, and no error of another realm may come in.
      throw new lua.Raised('stack overflow')
    }
  }
  for (const add of [${parts.join(',\n')}]) add(lua)
  const libraries = { luaparse: ${libraryText(require.resolve('luaparse'))}, luaInJs: ${libraryText(require.resolve('lua-in-js'))} }
  ;(${String(addCompiler)})(lua, libraries, (source, name, first) => ask('rewrite', source, name, String(first)))
  const run = (${String(addEntry)})(lua, (name, argument) => ask('host', name, argument))
  globalThis.order = (input) => JSON.stringify(run(JSON.parse(input)))
})`
}

function libraryText(file: string): string {
  return `function (exports, require, module, Function, Map) {${readFileSync(file, 'utf8')}\n}`
}

/** Both clocks must have passed: on a busy machine a script is not to blame for waiting. */
function createStopwatch(timeMs: number): () => boolean {
  const [start, used] = [performance.now(), process.cpuUsage()]
  return () => {
    if (performance.now() - start < timeMs) return false
    const { user, system } = process.cpuUsage(used)
    return user + system >= timeMs * 1000
  }
}

/** Bytes of garbage that are worth a collection. */
const betweenCollections = 16 * 1024 * 1024

/** Weighs the heap of this process, garbage left out, against what it was when an order began. */
function createScale(memoryBytes: number): { reset(): void; isTooMuch(more: number): boolean } {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let empty = 0
  let limit = memoryBytes
  const held = (): number => getHeapStatistics().used_heap_size - empty
  return {
    reset() {
      empty = getHeapStatistics().used_heap_size
      limit = memoryBytes
    },
    isTooMuch(more) {
      if (held() + more <= limit) return false
      collect()
      const left = held() + more
      // Near the limit it would otherwise collect again and again.
      limit = Math.max(memoryBytes, left + betweenCollections)
      return left > memoryBytes
    },
  }
}
