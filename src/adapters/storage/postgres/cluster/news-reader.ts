import type { NewsTopic, ServerId } from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { returned } from '../statements.ts'

/** A row of news. */
export interface NewsRow {
  readonly id: number
  readonly server: ServerId
  readonly topic: NewsTopic
  readonly key: string
}

/** What one read found. */
export interface ReadNews {
  readonly rows: readonly NewsRow[]
  /** Others may have been there that were removed since the last read. */
  readonly areSomeLost: boolean
}

/** Reads each row of news once. All methods reject with `StorageError`, and then nothing was read. */
export interface NewsReader {
  /** What is committed from now on will be read. */
  begin(): Promise<void>
  read(): Promise<ReadNews>
}

/** One is there where there are no news, too. */
type FoundRow = (NewsRow | { readonly id: null }) & { readonly first: number | null }

/**
 * Numbers are given in the order of writing, and rows appear in that of their commits. So a number that is missing is looked for
 * again, until no transaction of ours can have it any more: each ends within a minute (connection.ts).
 */
const LATEST_MS = 60_000

/** So many numbers before the first read are looked for, too: they may have been given and not committed yet. */
const BEFORE = 1_000

export function createNewsReader({ read }: Connections): NewsReader {
  let newest = 0
  /** The lowest number that was there at the last read: rows are removed from the oldest on. Undefined where there was none. */
  let oldest: number | undefined
  /** Since when each number is missing, in milliseconds of a clock that never goes back. */
  let missing = new Map<number, number>()

  /** Whether numbers that were not read are below the first now, and were not before. To be asked before `note`. */
  function isSomeLost(first: number | undefined): boolean {
    if (first === undefined) return oldest !== undefined
    const before = oldest ?? 0
    return newest + 1 < first || [...missing.keys()].some((number) => number >= before && number < first)
  }

  function note(rows: readonly NewsRow[], first = newest + 1): void {
    const now = performance.now()
    for (const { id } of rows) {
      // There is nothing below the first any more, but for what is not committed yet.
      for (let number = Math.max(newest + 1, first - BEFORE); number < id; number++) missing.set(number, now)
      missing.delete(id)
      newest = Math.max(newest, id)
    }
    missing = new Map([...missing].filter(([, since]) => now - since < LATEST_MS))
  }

  return {
    async begin() {
      const row = await read.get<{ last: number; first: number | null; known: readonly number[] }>(sql`
        SELECT coalesce(max(id), 0) AS last, (SELECT min(id) FROM news) AS first, array_remove(array_agg(id), NULL) AS known
        FROM news WHERE id > (SELECT coalesce(max(id), 0) FROM news) - ${BEFORE}`)
      const { last, first, known } = returned(row)
      const now = performance.now()
      const seen = new Set((known ?? []).map(Number))
      newest = last
      oldest = first ?? undefined
      for (let number = Math.max(1, last - BEFORE + 1); number < last; number++)
        if (!seen.has(number)) missing.set(number, now)
    },
    async read() {
      const found = await read.all<FoundRow>(sql`
        SELECT first, news.id, server, topic, key FROM (SELECT min(id) AS first FROM news) AS removed_below
        LEFT JOIN news ON news.id > ${newest} OR news.id = ANY(${[...missing.keys()]}::bigint[]) ORDER BY news.id`)
      const first = found[0]?.first ?? undefined
      const rows = found.flatMap((row) => (row.id === null ? [] : [row]))
      const areSomeLost = isSomeLost(first)
      note(rows, first)
      oldest = first
      return { rows, areSomeLost }
    },
  }
}
