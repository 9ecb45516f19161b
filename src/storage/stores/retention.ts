import { type Kysely, type RawBuilder, sql } from 'kysely'
import { encodeTime } from 'ulid'
import type { RoomName } from '../../words/entry.ts'
import type { PersonId } from '../../words/person.ts'
import type { RetentionStore } from '../../chat/moderation/index.ts'
import { type Database, type Dialect, integer, requireRow } from '../database.ts'
import { REQUESTS } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { type EntryRow, toEntry } from './entries.ts'
import { HAS_REQUESTS, removeRequests, oldestTurns, turnsWithRequests } from './requests.ts'

export function createRetentionStore({ dialect, read, writes, truncateWalSoon }: Database): RetentionStore {
  const { write, statement } = writes()

  /** SQL of a room's entries from before `time`. Uses an index, since ids begin with their time. */
  const before = (room: RoomName, time: number): RawBuilder<unknown> =>
    sql`FROM ${sql.raw(dialect.entriesBy('room'))} WHERE room = ${room} AND id < ${encodeTime(Math.max(0, time), 10)}`

  return {
    days: () =>
      read(async (db) => {
        const rows = await db.selectFrom('rooms').select(['name', 'keep_days']).orderBy('name').execute()
        return new Map(rows.flatMap(({ name, keep_days: days }) => (days === null ? [] : [[name, days]])))
      }),
    setDays: (room, days) =>
      statement(async (db) => {
        await sql`UPDATE rooms SET keep_days = ${integer(days)} WHERE name = ${room}`.execute(db)
      }),
    countBefore: (room, time) =>
      read(async (db) => {
        const query = sql<{ lines: number }>`SELECT count(*) AS lines ${before(room, time)}`
        return (await query.execute(db)).rows[0]?.lines ?? 0
      }),
    removeBefore: (room, time, limit) =>
      write(async (db) => {
        const oldest = sql`SELECT id ${before(room, time)} ORDER BY id LIMIT ${limit}`
        const { numAffectedRows } = await sql`DELETE FROM entries WHERE id IN (${oldest})`.execute(db)
        const removed = Number(numAffectedRows) || (await removeOthers(db, dialect, room, time))
        if (removed > 0) truncateWalSoon()
        return removed
      }, REQUESTS),
    removeRequests: (time, days) =>
      write(async (db) => {
        const turns = await turnsWithRequests(db, time)
        await removeRequests(db, dialect, turns)
        await sql`UPDATE turns SET request_days = ${days} WHERE id IN ${dialect.list(turns)}`.execute(db)
        if (turns.length > 0) truncateWalSoon()
        return turns.length
      }, REQUESTS),
    mayBeOf: ({ name, id }) =>
      read(async (db) => {
        const byThem = id === undefined ? '%"by":"guest:%' : `%"by":${JSON.stringify(id)}%`
        const { rows } = await sql<EntryRow>`
          SELECT id, room, at, kind, author, text, data FROM entries
          WHERE data LIKE ${byThem} OR data LIKE '%"reacts":%'
            OR (author = ${name} AND data NOT LIKE '%"by":%') ORDER BY id`.execute(db)
        return rows.map(toEntry)
      }),
    removeLines: (ids) =>
      write(async (db) => {
        await db.deleteFrom('entries').where('id', 'in', dialect.list(ids)).execute()
        truncateWalSoon()
      }),
    removeCopies: (room, since) =>
      write(async (db) => {
        const turns = await oldestTurns(
          db,
          sql`room = ${room} AND started_at >= ${since} AND ${HAS_REQUESTS}`,
        )
        await removeRequests(db, dialect, turns)
        truncateWalSoon()
        if (turns.length > 0) return true
        await sql`DELETE FROM results WHERE room = ${room} AND at >= ${since}`.execute(db)
        await sql`DELETE FROM room_summaries
          WHERE room = ${room} AND text <> '' AND at >= ${since}`.execute(db)
        return false
      }, REQUESTS),
    countOthers: (person) => read((db) => countOthers(db, person)),
    removeMessages: (person) =>
      write(async (db) => {
        await removeTexts(db, person)
        truncateWalSoon()
      }),
    record: (removal) =>
      statement(async (db) => void (await db.insertInto('removals').values(removal).execute())),
  }
}

async function countOthers(db: Kysely<Tables>, person: PersonId) {
  const count = (from: RawBuilder<unknown>) => sql`(SELECT count(*) FROM ${from} = ${person})`
  const query = sql<{ routines: number; texts: number }>`SELECT
    ${count(sql`routines WHERE person`)} AS routines,
    ${count(sql`direct_messages WHERE sender`)} + ${count(sql`typed_lines WHERE person`)}
      + ${count(sql`drafts WHERE person`)} + ${count(sql`away WHERE person`)}
      + ${count(sql`memories WHERE text <> '' AND person`)}
      + ${count(sql`preferences WHERE option = 'words' AND person`)} AS texts`
  return requireRow((await query.execute(db)).rows[0])
}

/** Removes what `RetentionStore.removeMessages` says, and the grants of routines. */
async function removeTexts(
  db: Kysely<Tables>,
  { id, name }: Parameters<RetentionStore['removeMessages']>[0],
): Promise<void> {
  await db.deleteFrom('direct_messages').where('sender', '=', id).execute()
  await sql`DELETE FROM grants WHERE routine IN (SELECT id FROM routines WHERE person = ${id})`.execute(db)
  for (const table of ['typed_lines', 'drafts', 'away', 'routines'] as const)
    await db.deleteFrom(table).where('person', '=', id).execute()
  await sql`DELETE FROM preferences WHERE option = 'words' AND person = ${id}`.execute(db)
  await sql`DELETE FROM memories WHERE room IS NULL AND person = ${id}`.execute(db)
  await db.updateTable('memories').set({ text: '' }).where('person', '=', id).execute()
  for (const table of ['room_instructions', 'room_personas'] as const)
    await db.updateTable(table).set({ text: '' }).where('author', '=', name).execute()
}

/** Removes some turns and all results and summaries from before `time`. Resolves to their number. */
async function removeOthers(
  db: Kysely<Tables>,
  dialect: Dialect,
  room: RoomName,
  time: number,
): Promise<number> {
  const turns = await oldestTurns(db, sql`room = ${room} AND started_at < ${time} AND ended_at IS NOT NULL`)
  await removeRequests(db, dialect, turns)
  await sql`DELETE FROM turns WHERE id IN ${dialect.list(turns)}`.execute(db)
  const results = await sql`DELETE FROM results WHERE room = ${room} AND at < ${time}`.execute(db)
  const summaries = await sql`DELETE FROM room_summaries WHERE room = ${room} AND at < ${time}`.execute(db)
  return turns.length + Number(results.numAffectedRows) + Number(summaries.numAffectedRows)
}
