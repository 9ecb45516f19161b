// The engine without WebAssembly: Lua by lua-in-js, in its own realm of the process. Knows its library and
// code shared by all engines, but not prompts or rooms.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, createContext, runInContext } from 'node:vm'
import { dataChunk, type LuaProgram, scriptChunk } from '../bundle.ts'
import { luaError, type LuaLimits, TIME_LIMIT_ERROR } from '../limits.ts'
import type { LuaState, LuaStates, StateJob } from '../lua-states.ts'
import { askHost, type HostAnswer } from '../lua-values.ts'
import {
  createErrors,
  createLibrary,
  createOperators,
  createRealm,
  type RealmRequest,
  repairTables,
} from './realm.ts'
import { createNodes, rewriteLua } from './rewrite.ts'
import { createSearch, createStrings } from './strings.ts'

/** Repaired lua-in-js (docs/internals/lua-engines.md) in a bare `vm` context that compiles scripts once. */
export const luaInJsStates: LuaStates = { isOnePerScript: false, open }

function open(program: LuaProgram, limits: LuaLimits): LuaState {
  // Not one of our objects, whose prototypes would lead scripts to our realm.
  const global = createContext(constants.DONT_CONTEXTIFY)
  let job: StateJob | undefined
  /** Answers in order: a run that begins again asks the same questions, and each is answered once. */
  let answers: HostAnswer[] = []
  let asked = 0
  const fill = runInContext(realmText(), global)
  fill((name: string, argument: string) => {
    const answer =
      answers[asked] ?? (job ? askHost(job.host, name, toText(argument)) : { code: 'return nil' })
    answers[asked++] = answer
    if ('text' in answer) job?.texts.keep(answer.text)
    return toBytes('text' in answer ? `+${answer.text}` : `-${answer.code}`)
  })
  const handle = (request: RealmRequest, timeMs = limits.timeMs): string => {
    global['request'] = toBytes(JSON.stringify(request))
    const answer = withProcessorTime(timeMs, (wallMs) => {
      asked = 0
      job?.texts.forget()
      return toText(runInContext('handle(request)', global, { timeout: wallMs }))
    })
    if (answer[0] === '+') return answer.slice(1)
    throw luaError(answer.slice(1), limits)
  }
  // Compiling gets more time, because it begins with code that V8 has never run.
  handle(program, 8 * limits.timeMs)
  return {
    run(next) {
      job = next
      answers = []
      return handle({ script: scriptChunk((next.script ?? '').toWellFormed()), data: dataChunk(next.data) })
    },
  }
}

/** V8 limits only wall-clock time, so a run that got too little CPU time begins again with more time. */
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

/** Returns the source of the function that fills a context and takes the host's one function. */
function realmText(): string {
  const ours = createRequire(import.meta.url)
  const read = (name: string, from = ours): string => readFileSync(from.resolve(name), 'utf8')
  return `(function (ask) { 'use strict'
    delete Object.prototype.__proto__; Error.stackTraceLimit = 300
    const [exports, parser, printj, trees] = [{}, {}, {}, []]
    ;(function (exports, module) { ${read('luaparse')}\n})(parser, { exports: parser })
    ;(function (exports) { ${read('printj', createRequire(ours.resolve('lua-in-js')))}\n})(printj)
    const parse = (source) => (trees.forEach((tree) => tree.clear()), (${String(rewriteLua)})(parser, source, (${String(createNodes)})()))
    const require = (name) => (name === 'printj' ? printj : { parse })
    const open = (Function) => { class Map extends globalThis.Map { constructor() { super(); trees.push(this) } }
      ${read('lua-in-js')}\nreturn exports }
    const createStrings = (call, text) =>
      (${String(createStrings)})(printj.sprintf, (${String(createSearch)})(text), call, text)
    const parts = { createErrors: ${String(createErrors)}, repairTables: ${String(repairTables)},
      createOperators: ${String(createOperators)}, createLibrary: ${String(createLibrary)}, createStrings }
    const handle = (${String(createRealm)})(parts, open, ask)
    globalThis.handle = (request) => handle(JSON.parse(request))
  })`
}
