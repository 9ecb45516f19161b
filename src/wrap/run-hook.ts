import { Refusal } from '../words/errors.ts'
import { isJsonObject, type Json, type JsonObject, safeJson } from '../base/json.ts'
import { cleanText } from '../base/text/clean-text.ts'
import { checkKey, checkPlace, KEYS_OF_PEOPLE, toStorable } from './keys.ts'
import type { HookOutcome, HookRun, LuaEngine } from './ports.ts'

const MAX_OUTPUT_BYTES = 64 * 1024
const MAX_REFUSAL_CHARACTERS = 1000
const MAX_SET_KEYS = 32
const MAX_LOG_LINES = 20
const MAX_LINE_CHARACTERS = 500

/** Throws `WrapError`. */
export function runHook(engine: LuaEngine, run: HookRun): HookOutcome {
  const log: string[] = []
  const set = new Map<string, Json>()
  const returned = engine.run({
    script: run.script.source,
    data: luaData(run),
    maxOutput: MAX_OUTPUT_BYTES,
    host(name, argument) {
      if (name === 'log' && log.length < MAX_LOG_LINES) log.push(logLine(argument))
      if (name === 'log' || name === 'print') return null
      if (name === 'room_kv_set') return setValue(run, argument, set)
      throw new Error(`tools.${name} is for prompts: a hook cannot use it`)
    },
  })
  const { refusal, webhook, say, ask, text } = isJsonObject(returned) ? returned : {}
  return {
    ...(typeof refusal === 'string' ? { refusal: cleanText(refusal).slice(0, MAX_REFUSAL_CHARACTERS) } : {}),
    ...(typeof webhook === 'string' ? { webhook } : {}),
    ...(typeof say === 'string' ? { speech: { text: say } } : {}),
    ...(typeof ask === 'string' && typeof text === 'string'
      ? { speech: { text, asks: ask.replace(/^@/, '') } }
      : {}),
    values: [...set],
    log,
  }
}

function luaData({ name, argument, now, room: { values, ...room }, script }: HookRun): JsonObject {
  return {
    now,
    target: 0,
    values,
    room: { ...room, todo: room.todo.map((item) => ({ ...item })), exits: [] },
    user: {},
    present: [],
    model: {},
    session: { room: room.name, script_version: script.version },
    hook: { name, argument },
  }
}

/** Returns the value as it will be stored. Throws the error for the script. */
function setValue({ name, room }: HookRun, argument: Json, set: Map<string, Json>): Json {
  const { key, value = null } = isJsonObject(argument) ? argument : {}
  const refuse = (why: string): never => {
    throw new Error(`tools.room_kv_set: ${why}`)
  }
  if (name === 'before_tool_call') return refuse('before_tool_call cannot set key-values')
  if (typeof key !== 'string') return refuse('the key must be text')
  const owner = KEYS_OF_PEOPLE.get(key)
  if (owner !== undefined) return refuse(`${key} is set with the command ${owner}`)
  if (set.size >= MAX_SET_KEYS && !set.has(key)) return refuse(`one call sets at most ${MAX_SET_KEYS} keys`)
  try {
    checkKey(key)
    checkPlace(key, new Set([...Object.keys(room.values), ...set.keys()]))
    const stored = toStorable(value)
    set.set(key, stored)
    return stored
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.message)
    throw error
  }
}

function logLine(argument: Json): string {
  const { level = '', text = '' } = isJsonObject(argument) ? argument : {}
  return cleanText(
    [level, text].map((part) => (typeof part === 'string' ? part : safeJson(part))).join(': '),
  ).slice(0, MAX_LINE_CHARACTERS)
}
