import type { Entry } from '../entry.ts'
import { type Coming, createRow, lineFor, nameIn } from './row.ts'

/** What is shown of a log where comings and goings in a row are one line, and never a third of all lines. */
export interface PresenceFold {
  /**
   * What is to be shown now that the log goes on with this entry: the entry, after the line for those who came and went
   * before it. That line waits where it would be one too many. `columns`: the cells that it may take.
   */
  take(entry: Entry, columns: number): readonly Entry[]
  /** Something is shown that is no entry: what is to be shown before it. */
  other(columns: number): readonly Entry[]
  /** The line that waits; the same object as long as nothing changes. */
  waiting(columns: number): Entry | undefined
  /** The log is over: what is still to be shown. */
  end(columns: number): readonly Entry[]
}

/** More in a row are a line of their own, so that no line that waits grows without end. */
const MAX_IN_A_ROW = 200

/** `own`: whose comings and goings are shown as they are, since the person waits for them. */
export function createPresenceFold(own?: string): PresenceFold {
  let row = createRow()
  let lines = 0
  let presenceLines = 0
  let made: { readonly columns: number; readonly line: Entry } | undefined

  function waiting(columns: number): Entry | undefined {
    if (row.length() === 0) return undefined
    if (made?.columns !== columns) made = { columns, line: row.line(columns) }
    return made.line
  }

  /** `more`: lines that follow at once. */
  function flush(columns: number, more: number): readonly Entry[] {
    const line = waiting(columns)
    if (!line || 3 * (presenceLines + 1) >= lines + 1 + more) return []
    return commit(line)
  }

  function commit(line: Entry): readonly Entry[] {
    row = createRow()
    made = undefined
    presenceLines += 1
    lines += 1
    return [line]
  }

  function other(columns: number): readonly Entry[] {
    const before = flush(columns, 1)
    lines += 1
    return before
  }

  function add(entry: Coming, columns: number): readonly Entry[] {
    row.add(entry)
    made = undefined
    return row.length() < MAX_IN_A_ROW ? [] : commit(row.line(columns))
  }

  return {
    waiting,
    other,
    take(entry, columns) {
      const isFolded = isComing(entry) && !(own !== undefined && isOf(entry, own))
      return isFolded ? add(entry, columns) : [...other(columns), entry]
    },
    end(columns) {
      const line = waiting(columns)
      return line && lines === 0 ? commit(line) : flush(columns, 0)
    },
  }
}

/** A part of a log that is known whole: what is too much for lines of its own goes into the line of a later row. */
export function foldPast(entries: readonly Entry[], columns: number): readonly Entry[] {
  const lines = foldedLines(entries, columns)
  return entries.flatMap((entry) => (isComing(entry) ? (lines.get(entry.id) ?? []) : entry))
}

/** An entry as far as folding must know it: of what is no coming or going, that it is there. */
export type FoldedEntry = Entry | Pick<Entry, 'id'>

/** The lines for those who came and went in a part of a log, each in the place of the entry with this id: the last that it is for. */
export function foldedLines(
  entries: readonly FoldedEntry[],
  columns: number,
): ReadonlyMap<Entry['id'], Entry> {
  const rows = rowsOf(entries)
  const others = entries.filter((entry) => !isComing(entry)).length
  const allowed = others === 0 ? 1 : Math.ceil(others / 2) - 1
  const first = Math.max(0, rows.length - allowed)
  const joined = rows.slice(first).map((row, index) => (index === 0 ? rows.slice(0, first + 1).flat() : row))
  const lines = joined.map((row) => lineFor(row, columns))
  return new Map(lines.map((line) => [line.id, line]))
}

function rowsOf(entries: readonly FoldedEntry[]): readonly (readonly Coming[])[] {
  const rows: Coming[][] = []
  let row: Coming[] | undefined
  for (const entry of entries) {
    if (!isComing(entry)) row = undefined
    else if (row) row.push(entry)
    else rows.push((row = [entry]))
  }
  return rows
}

const isComing = (entry: FoldedEntry): entry is Coming => 'kind' in entry && entry.kind === 'presence'

const isOf = (entry: Coming, name: string): boolean => entry.event !== 'summed' && nameIn(entry) === name
