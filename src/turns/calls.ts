import { stableJson } from '../lib/stable-json.ts'
import { parseArguments } from './arguments.ts'
import type { ToolCall } from './ports.ts'

/** Looks at a step's calls before they run: the calls with ids of their own, or why the turn must stop. */
export type CallCheck = (calls: readonly ToolCall[]) => {
  readonly calls: readonly ToolCall[]
  readonly halt?: string
}

/** The same call with the same arguments so many times in a turn leads nowhere. */
const SAME_CALLS = 3

/** More calls than this in one step are a model gone wrong. */
const CALLS_PER_STEP = 64

/** Remembers the calls of one turn. `model` is named in the notice. */
export function createCallCheck(model: string): CallCheck {
  const made = new Map<string, number>()
  const ids = new Set<string>()

  function timesMade({ name, arguments: args }: ToolCall): number {
    const parsed = parseArguments(args)
    const key = JSON.stringify([name, parsed.ok ? stableJson(parsed.value) : args])
    const times = (made.get(key) ?? 0) + 1
    made.set(key, times)
    return times
  }

  return (calls) => {
    const named = calls.map((call) => ({ ...call, id: uniqueId(call.id, ids) }))
    if (calls.length > CALLS_PER_STEP) {
      return { calls: named, halt: `@${model} asked for ${calls.length} tools at once; it was stopped` }
    }
    const again = named.filter((call) => timesMade(call) >= SAME_CALLS)[0]
    if (!again) return { calls: named }
    const name = again.name.slice(0, 64)
    return {
      calls: named,
      halt: `@${model} called ${name} ${SAME_CALLS} times with the same arguments; it was stopped`,
    }
  }
}

/** Some servers count from zero in every step, or send no ids at all; calls and results pair up by them. */
function uniqueId(id: string, ids: Set<string>): string {
  const wanted = /^[\w.:-]{1,64}$/.test(id) && !ids.has(id) ? id : `call_${ids.size + 1}`
  const unique = ids.has(wanted) ? `${wanted}_${ids.size + 1}` : wanted
  ids.add(unique)
  return unique
}
