import { Refusal } from '../chat/errors.ts'
import { EXITS_KEY, NAV_KEY } from '../chat/room-values.ts'
import { cleanJson, isTooDeep, MAX_JSON_DEPTH } from '../lib/clean-json.ts'
import { type Json, isJsonObject } from '../lib/json.ts'
import { safeJson } from '../lib/safe-json.ts'
import { SCOPE_KEY } from './scope.ts'
import type { EntryId } from '../chat/entry.ts'
import type { StoredSummary } from './ports.ts'

/** The room key-value that says from which entry on models read the conversation. */
export const CHECKPOINT_KEY = 'checkpoint'

/** The room key-value that names the model which sums up the room; `none` for no summaries. */
export const SUMMARIZER_KEY = 'summarizer'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/

/** Characters of a value, as JSON. */
export const MAX_VALUE_CHARS = 16_384

/** Keys of one room. */
const MAX_KEYS = 256

/** Keys that mean something to the server, and the commands that check what is put there. */
export const OWNED_KEYS: ReadonlyMap<string, string> = new Map([
  [SCOPE_KEY, 'tools'],
  [CHECKPOINT_KEY, 'checkpoint'],
  [EXITS_KEY, 'portal'],
  [NAV_KEY, 'nav'],
])

/** The same, and those that only people set: what stands there costs tokens. */
export const KEYS_OF_PEOPLE: ReadonlyMap<string, string> = new Map([...OWNED_KEYS, [SUMMARIZER_KEY, 'kv']])

/** Whether a room can have a key of this name. */
export const isKey = (key: string): boolean => KEY.test(key)

/** Throws `Refusal` for what no room can have as a key. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new Refusal('a key is 1-64 of letters, digits, _, . and -')
}

/** Throws `Refusal` where a room with these values has no place for one more key. */
export function checkPlace(key: string, values: { has(key: string): boolean; readonly size: number }): void {
  if (values.size < MAX_KEYS || values.has(key)) return
  throw new Refusal(`a room has at most ${MAX_KEYS} keys; - removes one`)
}

/** A value as it may be stored: cleaned. Throws `Refusal` where it is too long or nested too deep. */
export function storable(value: Json): Json {
  if (isTooDeep(value))
    throw new Refusal(`a value is nested at most ${MAX_JSON_DEPTH} deep; this one is deeper`)
  const size = typeof value === 'string' ? value.length : safeJson(value).length
  if (size > MAX_VALUE_CHARS) throw new Refusal(`a value has at most ${MAX_VALUE_CHARS} characters`)
  return cleanJson(value)
}

/**
 * The name of the model that sums up a room with these key-values; undefined where nobody does. `usual` is the server's. A
 * value that is no name stands for none: what cannot be understood sends nothing to any model.
 */
export function summarizerIn(
  values: ReadonlyMap<string, Json>,
  usual: string | undefined,
): string | undefined {
  const value = values.get(SUMMARIZER_KEY)
  if (value === undefined) return usual
  if (typeof value !== 'string') return undefined
  const name = value.trim().replace(/^@/, '')
  return name === '' || name === 'none' ? undefined : name.slice(0, 64)
}

/** A position in a room's log that somebody gave a name. */
export interface Checkpoint {
  readonly name: string
  /** Models read what came after this entry. */
  readonly after: EntryId
  /** Name of the person who set it. */
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The checkpoint in a stored value; undefined where there is none. */
export function checkpointOf(value: Json | undefined): Checkpoint | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, after, by, at } = value
  if (typeof name !== 'string' || typeof after !== 'string' || after === '') return undefined
  if (typeof by !== 'string' || typeof at !== 'number') return undefined
  return { name, after: after as EntryId, by, at }
}

/**
 * The summary as models may read it: undefined where it was cleared, or covers something from before the checkpoint, which
 * nobody shows to models.
 */
export const summaryAfter = (
  checkpoint: Checkpoint | undefined,
  summary: StoredSummary | undefined,
): StoredSummary | undefined =>
  summary && summary.text !== '' && summary.first > (checkpoint?.after ?? '') ? summary : undefined
