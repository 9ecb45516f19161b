import type { EntryId } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { EXITS_KEY, NAV_KEY } from '../chat/room-values.ts'
import { cleanJson, isTooDeep, MAX_JSON_DEPTH, isJsonObject, type Json, safeJson } from '../lib/json.ts'
import { SCOPE_KEY } from './scope.ts'
import type { Summary } from './snapshot.ts'

/** The key of the entry from which on models read the conversation. */
export const CHECKPOINT_KEY = 'checkpoint'

/** Names the model which sums up the room; `none` for no summaries. */
export const SUMMARIZER_KEY = 'summarizer'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/
/** Characters of a value as JSON. */
export const MAX_VALUE_CHARS = 16_384
const MAX_KEYS = 256

/** Keys that only commands set, with the command. */
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

/** Throws `Refusal` if there is no place for one more key. */
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

/**
 * Returns the name of the room's summarizer; `usual` is the server's. A value that is no name means none, so
 * that nothing is sent to a model.
 */
export function summarizerName(
  values: ReadonlyMap<string, Json>,
  usual: string | undefined,
): string | undefined {
  const value = values.get(SUMMARIZER_KEY)
  if (value === undefined) return usual
  if (typeof value !== 'string') return undefined
  const name = value.trim().replace(/^@/, '')
  return name === '' || name === 'none' ? undefined : name.slice(0, 64)
}

/** Models read only entries after `after`. `at` is in ms. */
export interface Checkpoint {
  readonly name: string
  readonly after: EntryId
  readonly by: string
  readonly at: number
}

export function checkpointOf(value: Json | undefined): Checkpoint | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, after, by, at } = value
  if (typeof name !== 'string' || typeof after !== 'string' || after === '') return undefined
  if (typeof by !== 'string' || typeof at !== 'number') return undefined
  return { name, after: after as EntryId, by, at }
}

/** Returns the summary; undefined if it was cleared, or covers entries from before the checkpoint. */
export const summaryAfter = <One extends Summary>(
  checkpoint: Checkpoint | undefined,
  summary: One | undefined,
): One | undefined =>
  summary && summary.text !== '' && summary.first > (checkpoint?.after ?? '') ? summary : undefined
