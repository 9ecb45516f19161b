import type { EntryId } from '../words/entry.ts'
import { isJsonObject, type Json } from '../base/json.ts'
import { type Summary, SUMMARIZER_KEY } from '../wrap/index.ts'

/** `usual` is the server's summarizer. A value that is no name means none, so that no model gets anything. */
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
