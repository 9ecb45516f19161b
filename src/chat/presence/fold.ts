import type { Entry } from '../entry.ts'
import { type Coming, nameIn, Tally } from './tally.ts'

/** A longer row gets a line of its own, so that no waiting line grows without end. */
const MAX_IN_A_ROW = 200

/** Shows comings and goings in a row as one line, and such lines as less than a third of all lines. */
export class PresenceFold {
  readonly #own: string | undefined
  #row = new Row()
  #lines = 0
  #presenceLines = 0

  /** `own`: the person whose own comings and goings are shown as they are. */
  constructor(own?: string) {
    this.#own = own
  }

  /**
   * Returns what to show for the log's next entry: the entry, after a line for the comings and goings
   * before it, short for a screen of so many columns, unless that line must wait.
   */
  take(entry: Entry, columns: number): readonly Entry[] {
    const isOwn = isComing(entry) && entry.event !== 'summed' && nameIn(entry) === this.#own
    if (isOwn || !isComing(entry)) return [...this.other(columns), entry]
    this.#row.add(entry)
    return this.#row.length < MAX_IN_A_ROW ? [] : this.#commit(this.#row.line(columns))
  }

  other(columns: number): readonly Entry[] {
    const before = this.#flush(columns, 1)
    this.#lines += 1
    return before
  }

  /** The line that waits; the same object as long as nothing changes. */
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
  #last: Coming | undefined
  #made: { readonly columns: number; readonly line: Entry } | undefined
  length = 0

  add(entry: Coming): void {
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

/** Folds a log that is known whole. Rows that are too many for lines of their own join a later row. */
export function foldPast(entries: readonly Entry[], columns: number): readonly Entry[] {
  const lines = foldedLines(entries, columns)
  return entries.flatMap((entry) => (isComing(entry) ? (lines.get(entry.id) ?? []) : entry))
}

/** Of an entry that is no coming or going, only its place matters. */
export type FoldedEntry = Entry | Pick<Entry, 'id'>

/** The lines for comings and goings, each by the id of the last entry that it is for. */
export function foldedLines(
  entries: readonly FoldedEntry[],
  columns: number,
): ReadonlyMap<Entry['id'], Entry> {
  const rows: Coming[][] = []
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

const isComing = (entry: FoldedEntry): entry is Coming => 'kind' in entry && entry.kind === 'presence'
