import type { HistoryRow } from '../../prompt/snapshot.ts'

/**
 * The history of a room as it crosses to a wrap process: how it differs from the one that was sent for this
 * room before. Each room has its own, so that nothing of one room is ever looked for in another's.
 */
export interface SentHistory {
  readonly room: string
  /** Rows of the former history that are left out at its beginning. */
  readonly drop: number
  /** Rows behind these that stay. */
  readonly keep: number
  /** Rows behind those. */
  readonly add: readonly HistoryRow[]
  /** Rooms whose histories the process is to forget. */
  readonly forget: readonly string[]
}

/**
 * Characters of JSON of all histories that one process keeps; one that is longer by itself is sent whole each
 * time.
 */
const MAX_KEPT_CHARACTERS = 8_000_000

interface Held {
  readonly rows: readonly HistoryRow[]
  /** Characters of JSON of each row. */
  readonly sizes: readonly number[]
}

/** The server's side of one process: knows what that process was sent. Gives the JSON of a `SentHistory`. */
export function createHistorySender(): (room: string, rows: readonly HistoryRow[]) => string {
  /** The room whose turn is longest ago is first. */
  const held = new Map<string, Held>()
  let characters = 0

  function drop(room: string): void {
    characters -= sum(held.get(room)?.sizes ?? [])
    held.delete(room)
  }

  /** Keeps what was sent last; gives the rooms that have to go for it. */
  function hold(room: string, one: Held): readonly string[] {
    drop(room)
    const size = sum(one.sizes)
    if (size > MAX_KEPT_CHARACTERS) return [room]
    const others = [...held.keys()]
    const gone = others.filter((other) => {
      if (characters + size <= MAX_KEPT_CHARACTERS) return false
      drop(other)
      return true
    })
    held.set(room, one)
    characters += size
    return gone
  }

  return (room, rows) => {
    const old = held.get(room) ?? { rows: [], sizes: [] }
    const same = overlap(old.rows, rows)
    // First of all: what cannot be written must not be taken for sent.
    const add = rows.slice(same.keep).map((row) => JSON.stringify(row))
    const kept = old.sizes.slice(same.drop, same.drop + same.keep)
    const forget = hold(room, { rows, sizes: [...kept, ...add.map((json) => json.length)] })
    return `{"room":${JSON.stringify(room)},"drop":${same.drop},"keep":${same.keep},"add":[${add.join()}],"forget":${JSON.stringify(forget)}}`
  }
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0)

/** Where the new rows begin in the old ones, and how many are the same from there on. */
function overlap(
  old: readonly HistoryRow[],
  rows: readonly HistoryRow[],
): Pick<SentHistory, 'drop' | 'keep'> {
  const first = rows[0]
  const drop = first ? old.findIndex((row) => isSame(row, first)) : -1
  if (drop < 0) return { drop: 0, keep: 0 }
  const end = rows.findIndex((row, at) => !isSame(old[drop + at], row))
  return { drop, keep: end < 0 ? rows.length : end }
}

/** The text is compared too, not only the id: so a row is sent anew whoever changed it, and however. */
const isSame = (one: HistoryRow | undefined, { entry }: HistoryRow): boolean =>
  one?.entry.id === entry.id && one.entry.text === entry.text && one.entry.author === entry.author

/**
 * The process's side: keeps the newest history of each room. A row that stays is the same object, so that
 * what was worked out for it is found again. Throws where the two sides do not agree.
 */
export function createHistoryReceiver(): (sent: SentHistory) => readonly HistoryRow[] {
  const held = new Map<string, readonly HistoryRow[]>()
  return ({ room, drop, keep, add, forget }) => {
    const kept = (held.get(room) ?? []).slice(drop, drop + keep)
    if (kept.length < keep) throw new Error(`${keep} rows were named of which ${kept.length} are here`)
    const rows = [...kept, ...add]
    held.set(room, rows)
    for (const old of forget) held.delete(old)
    return rows
  }
}
