import { stableJson } from '../lib/stable-json.ts'
import { parseArguments } from '../toolbox/arguments.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'

/** Looks at a step's calls before they run: gives them ids of their own, and says why the turn must stop, if it must. */
export type CallCheck = (calls: readonly ToolCall[]) => {
  readonly calls: readonly ToolCall[]
  readonly halt?: string
}

/** The same call with the same arguments so many times in a turn leads nowhere. */
const SAME_CALLS = 3

/** More calls than this in one step are a model gone wrong. */
const CALLS_PER_STEP = 64

/** No tool's name is longer than half of this; what a model makes up may be. */
const NAME_CHARS = 128

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
    if (calls.length > CALLS_PER_STEP) {
      return { calls: [], halt: `@${model} asked for ${calls.length} tools at once; it was stopped` }
    }
    const named = calls.map((call) => ({
      ...call,
      id: uniqueId(call.id, ids),
      name: call.name.slice(0, NAME_CHARS),
    }))
    for (const call of named) {
      if (timesMade(call) >= SAME_CALLS) return { calls: named, halt: repeated(model, call.name) }
    }
    return { calls: named }
  }
}

const repeated = (model: string, name: string): string =>
  `@${model} called ${name.slice(0, 64)} ${SAME_CALLS} times with the same arguments; it was stopped`

/** Some servers count from zero in every step, or send no ids at all; calls and results pair up by them. */
function uniqueId(id: string, ids: Set<string>): string {
  let unique = id
  for (let number = ids.size + 1; ids.has(unique) || !ID.test(unique); number++) unique = `call_${number}`
  ids.add(unique)
  return unique
}

const ID = /^[\w.:-]{1,64}$/

/** A call as the next request tells of it: arguments that could not be used are not sent back. */
export const asTold = (call: ToolCall): ToolCall =>
  parseArguments(call.arguments).ok ? call : { ...call, arguments: '{}' }
