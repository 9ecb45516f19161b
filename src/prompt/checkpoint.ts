import type { EntryId } from '../chat/entry.ts'
import type { Json } from '../lib/json.ts'

/** The room key-value that says from where on models read the conversation. */
export const CHECKPOINT_KEY = 'checkpoint'

/** A place in a room's log that somebody gave a name. */
export interface Checkpoint {
  readonly name: string
  /** Models read what came after this entry. */
  readonly after: EntryId
  /** Who set it. */
  readonly by: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The checkpoint in a stored value; undefined where there is none. */
export function checkpointOf(value: Json | undefined): Checkpoint | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { name, after, by, at } = value as { readonly [key: string]: Json }
  if (typeof name !== 'string' || typeof after !== 'string' || after === '') return undefined
  if (typeof by !== 'string' || typeof at !== 'number') return undefined
  return { name, after: after as EntryId, by, at }
}
