import { stableJson } from '../lib/stable-json.ts'
import { parseArguments, type ToolCall } from '../toolbox/tool-call.ts'

/** Checks the calls of a step before any of them runs. Gives them unique ids, and says why the turn must stop, if it must. */
export type CallCheck = (calls: readonly ToolCall[]) => {
  readonly calls: readonly ToolCall[]
  readonly halt?: string
}

/** A model that makes the same call with the same arguments so often in one turn is going in circles. */
const MAX_SAME_CALLS = 3

/** A model that makes more calls than this in one step has gone wrong. */
const MAX_CALLS_PER_STEP = 64

/** Characters of a called name. No tool's name is longer than half of this, but a model can make up any name. */
const MAX_NAME_CHARS = 128

/** Remembers the calls of one turn. `model` is named in the reason to stop. */
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
    if (calls.length > MAX_CALLS_PER_STEP)
      return { calls: [], halt: `@${model} asked for ${calls.length} tools at once; it was stopped` }
    const checked = calls.map((call) => ({
      ...call,
      id: uniqueId(call.id, ids),
      name: call.name.slice(0, MAX_NAME_CHARS),
    }))
    const repeated = checked.find((call) => timesMade(call) >= MAX_SAME_CALLS)
    return repeated ? { calls: checked, halt: goesInCircles(model, repeated) } : { calls: checked }
  }
}

const goesInCircles = (model: string, { name }: ToolCall): string =>
  `@${model} called ${name.slice(0, 64)} ${MAX_SAME_CALLS} times with the same arguments; it was stopped`

const VALID_ID = /^[\w.:-]{1,64}$/

/** Calls and results pair up by their ids, but some servers count from zero in every step, or send no ids at all. */
function uniqueId(id: string, ids: Set<string>): string {
  let unique = id
  for (let number = ids.size + 1; ids.has(unique) || !VALID_ID.test(unique); number++)
    unique = `call_${number}`
  ids.add(unique)
  return unique
}

/** A call as the next request repeats it. Arguments that could not be used are not sent back. */
export const asRepeated = (call: ToolCall): ToolCall =>
  parseArguments(call.arguments).ok ? call : { ...call, arguments: '{}' }
