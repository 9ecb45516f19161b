import type { NewsTopic } from '../../../../cluster/ports.ts'
import type { ServerId } from '../../../../cluster/server-id.ts'
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

/** Reads each row of news once. All methods reject with `StorageError`, and then nothing was read. */
export interface NewsReader {
  /** What is committed from now on will be read. */
  begin(): Promise<void>
  read(): Promise<readonly NewsRow[]>
}

/**
 * Numbers are given in the order of writing, and rows appear in that of their commits. So a number that is missing is looked for
 * again, until no transaction of ours can have it any more: each ends within a minute (connection.ts).
 */
const LATEST_MS = 60_000

/** So many numbers before the first read are looked for, too: they may have been given and not committed yet. */
const BEFORE = 1_000

export function createNewsReader({ read }: Connections): NewsReader {
  let newest = 0
  /** Since when each number is missing, in milliseconds of a clock that never goes back. */
  let missing = new Map<number, number>()

  function note(rows: readonly NewsRow[]): void {
    const now = performance.now()
    for (const { id } of rows) {
      for (let number = newest + 1; number < id; number++) missing.set(number, now)
      missing.delete(id)
      newest = Math.max(newest, id)
    }
    missing = new Map([...missing].filter(([, since]) => now - since < LATEST_MS))
  }

  return {
    async begin() {
      const row = await read.get<{ last: number; known: readonly number[] }>(sql`
        SELECT coalesce(max(id), 0) AS last, array_remove(array_agg(id), NULL) AS known
        FROM news WHERE id > (SELECT coalesce(max(id), 0) FROM news) - ${BEFORE}`)
      const { last, known } = returned(row)
      const now = performance.now()
      const seen = new Set((known ?? []).map(Number))
      newest = last
      for (let number = Math.max(1, last - BEFORE + 1); number < last; number++)
        if (!seen.has(number)) missing.set(number, now)
    },
    async read() {
      const rows = await read.all<NewsRow>(sql`
        SELECT id, server, topic, key FROM news WHERE id > ${newest} OR id = ANY(${[...missing.keys()]}::bigint[]) ORDER BY id`)
      note(rows)
      return rows
    },
  }
}
