import type { Entry } from '../../words/entry.ts'
import { type PresenceLine, nameOf, Tally } from './tally.ts'

/** The most entries in a waiting line, which would grow without end otherwise. */
const MAX_IN_A_ROW = 200

/** Sums up consecutive comings and goings in one line. Such lines are less than a third of all lines. */
export class PresenceFold {
  readonly #own: string | undefined
  #row = new Row()
  #lines = 0
  #presenceLines = 0

  /** `own`: the person whose own comings and goings are shown as they are. */
  constructor(own?: string) {
    this.#own = own
  }

  /** Returns the waiting line, cut to `columns`, if due, then `entry`. Holds back comings and goings. */
  take(entry: Entry, columns: number): readonly Entry[] {
    const isOwn = isComing(entry) && entry.event !== 'summed' && nameOf(entry) === this.#own
    if (isOwn || !isComing(entry)) return [...this.other(columns), entry]
    this.#row.add(entry)
    return this.#row.length < MAX_IN_A_ROW ? [] : this.#commit(this.#row.line(columns))
  }

  other(columns: number): readonly Entry[] {
    const before = this.#flush(columns, 1)
    this.#lines += 1
    return before
  }

  /** Returns the waiting line; the same object as long as nothing changes. */
  waiting(columns: number): Entry | undefined {
    return this.#row.line(columns)
  }

  end(columns: number): readonly Entry[] {
    return this.#lines === 0 ? this.#commit(this.waiting(columns)) : this.#flush(columns, 0)
  }

  #flush(columns: number, more: number): readonly Entry[] {
    if (3 * (this.#presenceLines + 1) >= this.#lines + 1 + more) return []
    return this.#commit(this.waiting(columns))
  }

  #commit(line: Entry | undefined): readonly Entry[] {
    if (!line) return []
    this.#row = new Row()
    this.#presenceLines += 1
    this.#lines += 1
    return [line]
  }
}

class Row {
  readonly #tally = new Tally()
  #last: PresenceLine | undefined
  #made: { readonly columns: number; readonly line: Entry } | undefined
  length = 0

  add(entry: PresenceLine): void {
    this.#tally.addEntry(entry)
    this.#last = entry
    this.#made = undefined
    this.length += 1
  }

  line(columns: number): Entry | undefined {
    const last = this.#last
    if (!last || this.length === 1) return last
    if (this.#made?.columns !== columns) this.#made = { columns, line: this.#tally.lineAt(last, columns) }
    return this.#made.line
  }
}

/** Folds a complete log. Rows that exceed the number of allowed lines join a later row. */
export function foldPast(entries: readonly Entry[], columns: number): readonly Entry[] {
  const lines = foldedLines(entries, columns)
  return entries.flatMap((entry) => (isComing(entry) ? (lines.get(entry.id) ?? []) : entry))
}

/** Only the position matters of an entry that is no coming or going. */
export type FoldedEntry = Entry | Pick<Entry, 'id'>

/** Returns the lines for comings and goings, by the id of the last entry that each line sums up. */
export function foldedLines(
  entries: readonly FoldedEntry[],
  columns: number,
): ReadonlyMap<Entry['id'], Entry> {
  const rows: PresenceLine[][] = []
  let others = 0
  let before: FoldedEntry | undefined
  for (const entry of entries) {
    if (!isComing(entry)) others += 1
    else if (before && isComing(before)) rows.at(-1)?.push(entry)
    else rows.push([entry])
    before = entry
  }
  const allowed = others === 0 ? 1 : Math.ceil(others / 2) - 1
  const lines = new Map<Entry['id'], Entry>()
  let row = new Row()
  for (const [index, comings] of rows.entries()) {
    for (const entry of comings) row.add(entry)
    const line = index < rows.length - allowed ? undefined : row.line(columns)
    if (!line) continue
    lines.set(line.id, line)
    row = new Row()
  }
  return lines
}

const isComing = (entry: FoldedEntry): entry is PresenceLine => 'kind' in entry && entry.kind === 'presence'
