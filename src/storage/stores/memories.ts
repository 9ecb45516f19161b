import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { MemoryOwner, MemoryStore, NewMemory, StoredMemory } from '../../turns/memory/index.ts'
import { type Database, integer, put, requireRow, select } from '../database.ts'
import { numbersOf, personOf } from '../locks.ts'
import type { Tables } from '../tables.ts'

const COLUMNS = sql`number, version, text, author, person, at`

const isOf = (of: MemoryOwner): RawBuilder<boolean> =>
  'room' in of ? sql`room = ${of.room}` : sql`room IS NULL AND person = ${of.person}`

/** SQL of the newest version of each memory of an owner that is not forgotten. */
export const currentMemories = (of: MemoryOwner): RawBuilder<StoredMemory> => sql<StoredMemory>`
  SELECT ${COLUMNS} FROM memories AS one WHERE ${isOf(of)} AND text <> '' AND version =
    (SELECT max(version) FROM memories WHERE ${isOf(of)} AND number = one.number)`

const lockOf = (of: MemoryOwner) => ('room' in of ? numbersOf(of.room) : personOf(of.person))

export function createMemoryStore(database: Database): MemoryStore {
  const { write, statement } = database.writes()
  return {
    current: (of) => select(database, sql<StoredMemory>`${currentMemories(of)} ORDER BY number`),
    versions: (of) =>
      select(
        database,
        sql<StoredMemory>`
          SELECT ${COLUMNS} FROM memories WHERE ${isOf(of)} ORDER BY number, version DESC`,
      ),
    add: (of, memory, most) =>
      write(async (db) => {
        const { rows } = await currentMemories(of).execute(db)
        if (rows.length >= most) return 'full'
        return await insert(db, of, memory, sql`coalesce(max(number), 0) + 1, 1`)
      }, lockOf(of)),
    change: (of, number, memory, most) =>
      write(async (db) => {
        const { rows } = await currentMemories(of).execute(db)
        if (rows.filter((one) => one.number !== number).length >= most) return 'full'
        return await insert(db, of, memory, sql`${integer(number)}, max(version) + 1`, number)
      }, lockOf(of)),
    goesAlong: async (person, room) => {
      const found = sql<{ readonly goes: number }>`
        SELECT goes FROM memory_rooms WHERE person = ${person} AND room = ${room}`
      const [row] = await select(database, found)
      return row && row.goes === 1
    },
    setGoesAlong: (person, room, goes) =>
      statement((db) => put(db, 'memory_rooms', { person, room, goes: goes ? 1 : 0 }, 'person', 'room')),
  }
}

/** Inserts one row; `numbers` is SQL of its number and version. */
async function insert(
  db: Kysely<Tables>,
  of: MemoryOwner,
  { text, author, person, at }: NewMemory,
  numbers: RawBuilder<unknown>,
  among?: number,
): Promise<StoredMemory> {
  const room = 'room' in of ? of.room : null
  const those = among === undefined ? sql`` : sql`AND number = ${among}`
  const { rows } = await sql<StoredMemory>`
    INSERT INTO memories (number, version, room, text, author, person, at)
    SELECT ${numbers}, cast(${room} as text), ${text}, ${author}, ${person}, ${integer(at)}
    FROM memories WHERE ${isOf(of)} ${those} RETURNING ${COLUMNS}`.execute(db)
  return requireRow(rows[0])
}
