import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RoomName } from '../../words/entry.ts'
import {
  ALL_MODELS,
  type InstructionStore,
  type ScriptStore,
  type StoredSummary,
  type SummaryStore,
} from '../../wrap/index.ts'
import { type Database, integer, requireRow, select } from '../database.ts'
import { numbersOf } from '../locks.ts'
import type { Tables } from '../tables.ts'

export function createScriptStore(database: Database): ScriptStore {
  const { write } = database.writes()
  const scripts = (room: RoomName, limit?: number) =>
    newestVersions<Tables['room_scripts']>(database, sql`room_scripts`, room, limit)
  return {
    current: async (room) => (await scripts(room, 1))[0],
    versions: (room) => scripts(room),
    put: ({ room, source, author, person = null, at }) =>
      write(async (db) => {
        const { rows } = await sql<Tables['room_scripts']>`
          INSERT INTO room_scripts (room, version, source, author, person, at)
          SELECT ${room}, coalesce(max(version), 0) + 1, ${source}, ${author}, ${person}, ${integer(at)}
          FROM room_scripts WHERE room = ${room} RETURNING *`.execute(db)
        return requireRow(rows[0])
      }, numbersOf(room)),
  }
}

/** Uses SQL text: Kysely's builder takes 0.1 ms per statement until it has run often. */
const newestVersions = <Row>(
  database: Database,
  table: RawBuilder<unknown>,
  room: RoomName,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Row[]> =>
  select(database, sql<Row>`SELECT * FROM ${table} WHERE room = ${room} ORDER BY version DESC LIMIT ${limit}`)

export function createInstructionStore({ read, writes }: Database): InstructionStore {
  const { write } = writes()
  return {
    current: (room, model) =>
      read(async (db) => {
        const { rows } = await sql<{ readonly text: string }>`
          SELECT text FROM room_instructions AS one
          WHERE room = ${room} AND model IN (${ALL_MODELS}, ${model}) AND text <> '' AND version =
            (SELECT max(version) FROM room_instructions WHERE room = one.room AND model = one.model)
          ORDER BY model <> ${ALL_MODELS}`.execute(db)
        return rows.map(({ text }) => text)
      }),
    versions: (room) => read((db) => instructions(db, room).execute()),
    put: ({ room, model, text, author, at }) =>
      write(async (db) => {
        const { rows } = await sql<Tables['room_instructions']>`
          INSERT INTO room_instructions (room, model, version, text, author, at)
          SELECT ${room}, ${model}, coalesce(max(version), 0) + 1, ${text}, ${author}, ${integer(at)}
          FROM room_instructions WHERE room = ${room} AND model = ${model} RETURNING *`.execute(db)
        return requireRow(rows[0])
      }, numbersOf(room)),
  }
}

const instructions = (db: Kysely<Tables>, room: RoomName) =>
  db
    .selectFrom('room_instructions')
    .selectAll()
    .where('room', '=', room)
    .orderBy('model')
    .orderBy('version', 'desc')

/** The maximum number of versions of a room's summary; older versions are deleted. */
const MAX_VERSIONS = 100

export function createSummaryStore(database: Database): SummaryStore {
  const { write } = database.writes()
  const summaries = (room: RoomName, limit?: number) =>
    newestVersions<StoredSummary>(database, sql`room_summaries`, room, limit)
  return {
    current: async (room) => (await summaries(room, 1))[0],
    versions: (room) => summaries(room),
    put: (summary, replaces) => write((db) => addSummary(db, summary, replaces), numbersOf(summary.room)),
  }
}

/** Adds a version, unless `replaces` is given and is not the newest version. */
async function addSummary(
  db: Kysely<Tables>,
  { room, text, first, last, author, at }: Omit<StoredSummary, 'version'>,
  replaces: number | null = null,
): Promise<StoredSummary | undefined> {
  const { rows } = await sql<StoredSummary>`
    INSERT INTO room_summaries (room, version, text, first, last, author, at)
    SELECT ${room}, newest + 1, ${text}, ${first}, ${last}, ${author}, ${integer(at)}
    FROM (SELECT coalesce(max(version), 0) AS newest FROM room_summaries WHERE room = ${room}) AS known
    WHERE newest = coalesce(${integer(replaces)}, newest) RETURNING *`.execute(db)
  const [added] = rows
  if (added)
    await db
      .deleteFrom('room_summaries')
      .where('room', '=', room)
      .where('version', '<=', added.version - MAX_VERSIONS)
      .execute()
  return added
}
