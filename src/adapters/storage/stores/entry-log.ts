import { sql } from 'kysely'
import type { EntryId } from '../../../chat/entry.ts'
import type { EntryLog } from '../../../chat/ports.ts'
import type { Database } from '../database.ts'
import { type EntryQuery, entryQuery, inTimeOrder, sizeQuery, toEntry } from './entries.ts'
import { createLogStats } from './history.ts'

/** The rooms' logs in the table `entries`. The engine appends and searches in its own way. */
export function createEntryLog(
  database: Database,
  { append, search }: Pick<EntryLog, 'append' | 'search'>,
): EntryLog {
  const { dialect, read } = database
  return {
    append,
    read: (room, wanted) =>
      read(async (db) => {
        const query: EntryQuery = { ...wanted, room }
        const { rows } = await entryQuery(dialect, query).execute(db)
        return inTimeOrder(rows.map(toEntry), wanted)
      }),
    sizes: (room, wanted) =>
      read(async (db) => {
        const { rows } = await sizeQuery(dialect, { ...wanted, room }).execute(db)
        return inTimeOrder(rows, wanted)
      }),
    search,
    stats: createLogStats(database),
    lastId: () =>
      read(async (db) => {
        const { rows } = await sql<{ id: EntryId | null }>`SELECT max(id) AS id FROM entries`.execute(db)
        return rows[0]?.id ?? undefined
      }),
  }
}
