import { Refusal } from '../words/errors.ts'
import { EXITS_KEY, NAV_KEY } from '../words/room-keys.ts'
import { cleanJson, isTooDeep, MAX_JSON_DEPTH, type Json, safeJson } from '../base/json.ts'
import { SCOPE_KEY } from './scope/scope.ts'

/** The key of the entry at which models begin to read the conversation. */
export const CHECKPOINT_KEY = 'checkpoint'

/** The key of the model that summarizes the room; `none` for no summaries. */
export const SUMMARIZER_KEY = 'summarizer'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/

/** The limit of a value's characters as JSON. */
export const MAX_VALUE_CHARS = 16_384

const MAX_KEYS = 256

/** Keys that only commands set, each with its command. */
export const OWNED_KEYS: ReadonlyMap<string, string> = new Map([
  [SCOPE_KEY, 'tools'],
  [CHECKPOINT_KEY, 'checkpoint'],
  [EXITS_KEY, 'portal'],
  [NAV_KEY, 'nav'],
])

/** `OWNED_KEYS`, and keys that scripts cannot set because they cost tokens. */
export const KEYS_OF_PEOPLE: ReadonlyMap<string, string> = new Map([...OWNED_KEYS, [SUMMARIZER_KEY, 'kv']])

export const isKey = (key: string): boolean => KEY.test(key)

export function checkKey(key: string): void {
  if (!isKey(key)) throw new Refusal('a key is 1-64 of letters, digits, _, . and -')
}

/** Throws `Refusal` if the room has no space for one more key. */
export function checkPlace(key: string, values: { has(key: string): boolean; readonly size: number }): void {
  if (values.size < MAX_KEYS || values.has(key)) return
  throw new Refusal(`a room has at most ${MAX_KEYS} keys; - removes one`)
}

/** Returns a sanitized value. Throws `Refusal` if it is too long or nested too deep. */
export function toStorable(value: Json): Json {
  if (isTooDeep(value))
    throw new Refusal(`a value is nested at most ${MAX_JSON_DEPTH} deep; this one is deeper`)
  const size = typeof value === 'string' ? value.length : safeJson(value).length
  if (size > MAX_VALUE_CHARS) throw new Refusal(`a value has at most ${MAX_VALUE_CHARS} characters`)
  return cleanJson(value)
}
