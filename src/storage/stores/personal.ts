import { type Kysely, sql } from 'kysely'
import type { EntryId } from '../../words/entry.ts'
import type {
  InvitationNotice,
  InvitationNoticeStore,
  LastSeenStore,
  PreferenceStore,
  TypedStore,
} from '../../chat/personal/index.ts'
import type { PersonId } from '../../words/person.ts'
import { type Database, put, select, send } from '../database.ts'
import type { Tables } from '../tables.ts'

export function createTypedStore({ dialect, writes, truncateWalSoon }: Database): TypedStore {
  const { write, statement, inOrder } = writes()

  /** False if `history` is off. Turning it off calls `forget`, which waits for this write at the row lock. */
  async function isKept(db: Kysely<Tables>, person: PersonId): Promise<boolean> {
    await sql`SELECT 1 FROM people WHERE id = ${person} ${dialect.lockRow('key share')}`.execute(db)
    const options = db.selectFrom('preferences').select('value').where('person', '=', person)
    return (await options.where('option', '=', 'history').executeTakeFirst())?.value !== 'off'
  }

  return {
    lines: (person) =>
      inOrder(async (db) => {
        const { rows } = await sql<{ readonly text: string }>`
          SELECT text FROM typed_lines WHERE person = ${person} ORDER BY id`.execute(db)
        return rows.map(({ text }) => text)
      }),
    addLines: (person, added, { lines, characters }) =>
      write(async (db) => {
        if (!(await isKept(db, person))) return
        for (const text of added) await db.insertInto('typed_lines').values({ person, text }).execute()
        await sql`DELETE FROM typed_lines WHERE id IN (
          SELECT id FROM (
            SELECT id, row_number() OVER newest AS place, sum(length(text)) OVER newest AS length
            FROM typed_lines WHERE person = ${person} WINDOW newest AS (ORDER BY id DESC)
          ) AS numbered WHERE place > ${lines} OR length > ${characters})`.execute(db)
      }),
    draft: (person, notBefore) =>
      inOrder(async (db) => {
        const { rows } = await sql<{ readonly text: string }>`
          SELECT text FROM drafts WHERE person = ${person} AND at >= ${notBefore}`.execute(db)
        return rows[0]?.text
      }),
    keepDraft: (person, { text, at }, notBefore) =>
      write(async (db) => {
        await db.deleteFrom('drafts').where('at', '<', notBefore).execute()
        if (!(await isKept(db, person))) return
        await put(db, 'drafts', { person, at, text }, 'person')
      }),
    dropDraft: (person, text) =>
      statement((db) => send(db.deleteFrom('drafts').where('person', '=', person).where('text', '=', text))),
    forget: (person) =>
      write(async (db) => {
        await sql`SELECT 1 FROM people WHERE id = ${person} ${dialect.lockRow('update')}`.execute(db)
        for (const table of ['typed_lines', 'drafts'] as const)
          await db.deleteFrom(table).where('person', '=', person).execute()
        truncateWalSoon()
      }),
  }
}

export function createPreferenceStore(database: Database): PreferenceStore {
  const { statement } = database.writes()
  return {
    of: (person) =>
      select(database, sql`SELECT option, value FROM preferences WHERE person = ${person} ORDER BY option`),
    put: (person, { option, value }) =>
      statement((db) => put(db, 'preferences', { person, option, value }, 'person', 'option')),
    everyone: (option) =>
      select(
        database,
        sql`SELECT name, value FROM preferences JOIN people ON people.id = person
          WHERE option = ${option} ORDER BY name`,
      ),
  }
}

export function createLastSeenStore(database: Database): LastSeenStore {
  const { statement } = database.writes()
  return {
    async find(person, room) {
      const found = sql<{ readonly entry: EntryId }>`
        SELECT entry FROM last_seen WHERE person = ${person} AND room = ${room}`
      return (await select(database, found))[0]?.entry
    },
    put: (person, room, entry, at) =>
      statement(async (db) => {
        await sql`INSERT INTO last_seen (person, room, entry, at)
          VALUES (${person}, ${room}, ${entry}, ${at ?? null})
          ON CONFLICT (person, room) DO UPDATE SET
            entry = CASE WHEN excluded.entry > last_seen.entry THEN excluded.entry ELSE last_seen.entry END,
            at = CASE WHEN coalesce(last_seen.at, -1) < excluded.at THEN excluded.at
              ELSE last_seen.at END`.execute(db)
      }),
    mine: (person, limit) =>
      select(
        database,
        sql`SELECT room, entry, at FROM last_seen WHERE person = ${person} AND at IS NOT NULL
          ORDER BY at DESC LIMIT ${limit}`,
      ),
    drop: (person, room) =>
      statement(async (db) => {
        const query = db.updateTable('last_seen').set({ at: null }).where('person', '=', person)
        await query.where('room', '=', room).execute()
      }),
  }
}

export function createInvitationNoticeStore({ writes }: Database): InvitationNoticeStore {
  const { write, statement } = writes()
  return {
    put: ({ person, room, inviter, at }) =>
      statement((db) => put(db, 'untold_invitations', { person, room, inviter, at }, 'person', 'room')),
    take: (person) =>
      write(async (db) => {
        // Deletes first, so that only one of two servers that take a notice at the same time gets it.
        const taken = db.deleteFrom('untold_invitations').where('person', '=', person).returningAll()
        const notices = await taken.execute()
        const members = db.selectFrom('members').select('room').where('person', '=', person)
        const invited = await members.where('membership', '=', 'invited').execute()
        const rooms = new Set(invited.map(({ room }) => room))
        return notices.filter(({ room }) => rooms.has(room)).toSorted(byTime)
      }),
  }
}

const byTime = (a: InvitationNotice, b: InvitationNotice): number => a.at - b.at || (a.room < b.room ? -1 : 1)
