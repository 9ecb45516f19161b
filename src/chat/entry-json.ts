import type { Json } from '../lib/json.ts'
import type { Entry } from './entry.ts'

/** An entry as scripts read it: `id at room kind author text` first, `at` in ISO 8601, then what its kind adds. */
export function entryJson(entry: Entry): { readonly [key: string]: Json } {
  const { id, at, room, kind, author, text, ...rest } = entry
  return {
    id,
    at: new Date(at).toISOString(),
    room,
    kind,
    author,
    text,
    ...(rest as { [key: string]: Json }),
  }
}
