import type { Json } from '../lib/json.ts'
import type { Entry } from './entry.ts'

/**
 * An entry as scripts read it: `id at room kind author text` first, `at` in ISO 8601, then what its kind adds. Who came
 * and who went stands in `joined` and `left`, whether it was one or many. Who a name stood for is left out.
 */
export function entryJson(entry: Entry): { readonly [key: string]: Json } {
  const { id, at, room, kind, author, text, by: _by, ...rest } = entry
  return {
    id,
    at: new Date(at).toISOString(),
    room,
    kind,
    author,
    text,
    ...(rest as { [key: string]: Json }),
    ...namesOf(entry),
  }
}

/** A single coming or going has its name in its text alone: `ann joined`. */
function namesOf(entry: Entry): { readonly [key: string]: Json } {
  if (entry.kind !== 'presence' || entry.event === 'summed') return {}
  const name = entry.text.slice(0, -` ${entry.event}`.length)
  return entry.event === 'joined' ? { joined: [name], left: [] } : { joined: [], left: [name] }
}
