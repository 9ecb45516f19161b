// Lua by lua-in-js, in a realm of its own within the process: the engine where no WebAssembly is to be run. It knows its
// own library and what every engine is given, and nothing of prompts or rooms.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, createContext, runInContext } from 'node:vm'
import { dataChunk, type LuaProgram, scriptChunk } from '../bundle.ts'
import { luaError, type LuaLimits, TIME_LIMIT_ERROR } from '../limits.ts'
import type { LuaState, LuaStates } from '../lua-states.ts'
import { createRealm, type Order } from './realm.ts'
import { createRepeatableHost, type RepeatableHost } from '../repeatable-host.ts'
import { rewriteLua } from './rewrite.ts'
import { createStrings } from './strings.ts'

/** Lua on lua-in-js, repaired (docs/lua-engines.md): a bare `vm` context, in which scripts are compiled once. */
export const luaInJsStates: LuaStates = { isOnePerScript: false, open }

function open(program: LuaProgram, limits: LuaLimits): LuaState {
  // Not an object of ours: whoever could climb from it to its prototypes would be in our realm.
  const global = createContext(constants.DONT_CONTEXTIFY)
  let host: RepeatableHost | undefined
  const fill = runInContext(realmText(), global)
  fill((name: string, argument: string) => {
    const answer = host?.ask(name, toText(argument)) ?? { code: 'return nil' }
    return toBytes('text' in answer ? `+${answer.text}` : `-${answer.code}`)
  })
  const order = (given: Order, timeMs = limits.timeMs): string => {
    global['order'] = toBytes(JSON.stringify(given))
    const answer = withProcessorTime(timeMs, (wallMs) => {
      host?.begin()
      return toText(runInContext('carryOut(order)', global, { timeout: wallMs }))
    })
    if (answer[0] === '+') return answer.slice(1)
    throw luaError(answer.slice(1), limits)
  }
  // Compiling begins with code that V8 has never run.
  order(program, 8 * limits.timeMs)
  return {
    run(job) {
      host = createRepeatableHost(job)
      return order({ script: scriptChunk((job.script ?? '').toWellFormed()), data: dataChunk(job.data) })
    },
  }
}

/** V8 looks at the clock on the wall alone: what had too little of a busy processor begins again, with more time. */
function withProcessorTime(ms: number, run: (wallMs: number) => string): string {
  for (let wallMs = ms; ;) {
    const before = process.cpuUsage()
    try {
      return run(Math.ceil(wallMs))
    } catch (error) {
      if (!String(error).includes('timed out')) throw error
      const { user, system } = process.cpuUsage(before)
      const used = Math.max(1, (user + system) / 1000)
      if (used >= ms) return `-${TIME_LIMIT_ERROR}`
      wallMs *= Math.max(2, ms / used)
    }
  }
}

const toBytes = (text: string): string => Buffer.from(text.toWellFormed(), 'utf8').toString('latin1')
const toText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** Source of the function that fills a context; it takes the one function of the host. */
function realmText(): string {
  const ours = createRequire(import.meta.url)
  const read = (name: string, from = ours): string => readFileSync(from.resolve(name), 'utf8')
  return `(function (ask) { 'use strict'
    delete Object.prototype.__proto__; Error.stackTraceLimit = 300
    const [exports, parser, printj, trees] = [{}, {}, {}, []]
    ;(function (exports, module) { ${read('luaparse')}\n})(parser, { exports: parser })
    ;(function (exports) { ${read('printj', createRequire(ours.resolve('lua-in-js')))}\n})(printj)
    const parse = (source) => (trees.forEach((tree) => tree.clear()), (${String(rewriteLua)})(parser, source))
    const require = (name) => (name === 'printj' ? printj : { parse })
    const open = (Function) => { class Map extends globalThis.Map { constructor() { super(); trees.push(this) } }
      ${read('lua-in-js')}\nreturn exports }
    const strings = (...given) => (${String(createStrings)})(printj.sprintf, ...given)
    const carryOut = (${String(createRealm)})(open, strings, ask)
    globalThis.carryOut = (order) => carryOut(JSON.parse(order))
  })`
}
