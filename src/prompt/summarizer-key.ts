import type { Json } from '../lib/json.ts'

/** The room key-value that names the model which sums up the room; `none` for no summaries. */
export const SUMMARIZER_KEY = 'summarizer'

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
