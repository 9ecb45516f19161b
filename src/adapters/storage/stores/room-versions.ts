import { type Kysely, sql } from 'kysely'
import type { RoomName } from '../../../chat/entry.ts'
import {
  ALL_MODELS,
  type InstructionStore,
  type ScriptStore,
  type StoredSummary,
  type SummaryStore,
} from '../../../prompt/ports.ts'
import { type Database, integer, requireRow } from '../database.ts'
import { numbersOf } from '../locks.ts'
import type { Tables } from '../tables.ts'

export function createScriptStore({ read, writes }: Database): ScriptStore {
  const { write } = writes()
  return {
    current: (room) => read((db) => scripts(db, room).limit(1).executeTakeFirst()),
    versions: (room) => read((db) => scripts(db, room).execute()),
    put: ({ room, source, author, at }) =>
      write(async (db) => {
        const { rows } = await sql<Tables['room_scripts']>`
          INSERT INTO room_scripts (room, version, source, author, at)
          SELECT ${room}, coalesce(max(version), 0) + 1, ${source}, ${author}, ${integer(at)}
          FROM room_scripts WHERE room = ${room} RETURNING *`.execute(db)
        return requireRow(rows[0])
      }, numbersOf(room)),
  }
}

const scripts = (db: Kysely<Tables>, room: RoomName) =>
  db.selectFrom('room_scripts').selectAll().where('room', '=', room).orderBy('version', 'desc')

/** What rooms instruct their models, all versions. */
export function createInstructionStore({ read, writes }: Database): InstructionStore {
  const { write } = writes()
  return {
    current: (room, model) =>
      read(async (db) => {
        const newest = [ALL_MODELS, model].map(async (one) => {
          const query = instructions(db, room).where('model', '=', one).limit(1)
          return (await query.executeTakeFirst())?.text ?? ''
        })
        return (await Promise.all(newest)).filter((text) => text !== '')
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

/** Versions of a room's summary that are kept; there is a new one whenever enough was said. */
const MAX_VERSIONS = 100

export function createSummaryStore({ read, writes }: Database): SummaryStore {
  const { write } = writes()
  return {
    current: (room) => read((db) => summaries(db, room).limit(1).executeTakeFirst()),
    versions: (room) => read((db) => summaries(db, room).execute()),
    put: (summary, replaces) => write((db) => addSummary(db, summary, replaces), numbersOf(summary.room)),
  }
}

/** Adds a version, unless `replaces` is given and no longer the newest. */
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

const summaries = (db: Kysely<Tables>, room: RoomName) =>
  db.selectFrom('room_summaries').selectAll().where('room', '=', room).orderBy('version', 'desc')
