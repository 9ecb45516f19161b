import { type LuaEngine, type LuaJob, WrapError } from '../../../prompt/ports.ts'
import type { LuaBundle } from '../bundle.ts'
import { readLuaJson } from '../lua-json.ts'
import type { LuaLimits } from '../lua-state.ts'
import { type Answer, type Context, createLuaContext } from './context.ts'
import type { Order, Outcome } from './runtime/entry.ts'

/** Scripts compiled in one context; after that a new one begins, since a script's places stay for good. */
const mostScripts = 32
/** Milliseconds for compiling: the first chunks of a process run before anything is optimized. */
const compileMs = 2000
const longestMessage = 500

/**
 * Lua on lua-in-js, repaired (docs/lua-engines.md): a bare `vm` context in which the bundle and each room's
 * script are compiled once. Rejects if the bundle does not compile.
 */
export async function createLuaInJsEngine(bundle: LuaBundle, limits: LuaLimits): Promise<LuaEngine> {
  let state: State | undefined = open(bundle, limits)
  return {
    run(job) {
      if (state && state.scripts.size >= mostScripts) state = undefined
      state ??= open(bundle, limits)
      try {
        return readLuaJson(compose(state, job, limits))
      } catch (error) {
        // After a limit the context may hold anything; after a plain error nothing of it is left.
        if (!(error instanceof WrapError) || error.reason === 'limit') state = undefined
        throw error
      }
    },
    close() {
      state = undefined
    },
  }
}

interface State {
  readonly context: Context
  /** The number of each compiled script. */
  readonly scripts: Map<string, number>
}

function open(bundle: LuaBundle, limits: LuaLimits): State {
  const sandbox = bundle.get('sandbox')
  if (sandbox === undefined) throw new WrapError('process', 'lua/sandbox.lua is missing')
  const context = createLuaContext(limits.memoryBytes)
  const modules = [...bundle].filter(([name]) => name !== 'sandbox')
  carryOut(context, { do: 'install', sandbox, modules }, compileMs, () => null, limits)
  return { context, scripts: new Map() }
}

function compose({ context, scripts }: State, job: LuaJob, limits: LuaLimits): string {
  const source = (job.script ?? '').toWellFormed()
  if (source !== '' && !scripts.has(source)) {
    const id = scripts.size
    carryOut(context, { do: 'compile', id, source }, compileMs, () => null, limits)
    scripts.set(source, id)
  }
  const id = scripts.get(source)
  const order: Order = { do: 'run', data: job.data, ...(id === undefined ? {} : { id }) }
  const answer: Answer = (name, argument) => job.host(name, readLuaJson(argument))
  const text = carryOut(context, order, limits.timeMs, answer, limits)
  const bytes = Buffer.byteLength(text)
  if (bytes > job.maxOutput) {
    throw new WrapError('limit', `wrap: the layers are ${bytes} bytes, at most ${job.maxOutput} can be used`)
  }
  return text
}

/** What Lua gave. Throws `WrapError`. */
function carryOut(context: Context, order: Order, timeMs: number, answer: Answer, limits: LuaLimits): string {
  const outcome = tried(context, order, timeMs, answer, limits)
  if ('text' in outcome) return outcome.text
  if ('limit' in outcome) throw outcome.limit === 'time' ? overTime(limits) : overMemory(limits)
  const line = outcome.raised.split('\n', 1)[0]!.slice(0, longestMessage)
  throw new WrapError(/^(\S+:\d+: )?wrap: /.test(line) ? 'argument' : 'script', line)
}

function tried(context: Context, order: Order, timeMs: number, answer: Answer, limits: LuaLimits): Outcome {
  try {
    return context.order(order, timeMs, answer)
  } catch (error) {
    const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw overTime(limits)
    // JavaScript's own limits, such as the longest string there can be.
    if (name === 'RangeError') throw overMemory(limits)
    throw new WrapError('process', `script: the Lua engine failed: ${String(message)}`)
  }
}

const overTime = ({ timeMs }: LuaLimits): WrapError =>
  new WrapError('limit', `script: it runs longer than ${timeMs} ms`)

const overMemory = ({ memoryBytes }: LuaLimits): WrapError =>
  new WrapError('limit', `script: it needs more than ${memoryBytes / 1024 / 1024} MiB of memory`)
