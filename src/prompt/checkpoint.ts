import type { EntryId } from '../chat/entry.ts'
import type { StoredSummary } from './ports.ts'
import { isJsonObject, type Json } from '../lib/json.ts'

/** The room key-value that says from which entry on models read the conversation. */
export const CHECKPOINT_KEY = 'checkpoint'

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
