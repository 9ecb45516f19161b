import { sql } from 'kysely'
import type { Fingerprint, PersonId } from '../../words/person.ts'
import type {
  AwayStore,
  DirectMessage,
  DirectMessageStore,
  IgnoredPerson,
  IgnoredStore,
} from '../../chat/talk/index.ts'
import { type Database, integer, put, send, withoutNulls } from '../database.ts'
import { WAITING_MESSAGES } from '../locks.ts'
import type { Tables } from '../tables.ts'

export function createDirectMessageStore(database: Database): DirectMessageStore {
  const { dialect, truncateWalSoon } = database
  const { write, statement, inOrder } = database.writes()
  return {
    put: ({ id, to, from, at, text }, { forOne, fromOne, inAll, notBefore }) =>
      write(async (db) => {
        const old = await db.deleteFrom('direct_messages').where('at', '<', notBefore).executeTakeFirst()
        if (old.numDeletedRows > 0n) truncateWalSoon()
        const key = from.key ?? null
        const { numAffectedRows } = await sql`
          INSERT INTO direct_messages (id, recipient, sender, name, guest, key, at, text)
          SELECT ${id}, ${to}, ${from.id}, ${from.name}, ${integer(from.guest ? 1 : 0)}, ${key},
            ${integer(at)}, ${text}
          WHERE (SELECT count(*) FROM direct_messages WHERE recipient = ${to}) < ${forOne}
            AND (SELECT count(*) FROM direct_messages
              WHERE recipient = ${to} AND (sender = ${from.id} OR key = ${key})) < ${fromOne}
            AND (SELECT count(*) FROM direct_messages) < ${inAll}`.execute(db)
        return numAffectedRows === 1n
      }, WAITING_MESSAGES),
    waiting: (person) =>
      inOrder(async (db) => {
        const { rows } = await sql<Tables['direct_messages']>`
          SELECT * FROM direct_messages WHERE recipient = ${person} ORDER BY id`.execute(db)
        return rows.map(toMessage)
      }),
    remove: (ids) =>
      statement(async (db) => {
        await db.deleteFrom('direct_messages').where('id', 'in', dialect.list(ids)).execute()
        truncateWalSoon()
      }),
  }
}

function toMessage({ sender, name, guest, key, ...row }: Tables['direct_messages']): DirectMessage {
  const { recipient: to, ...message } = row
  return { ...message, to, from: withoutNulls({ id: sender, name, guest: guest === 1, key }) }
}

export function createIgnoredStore({ read, writes }: Database): IgnoredStore {
  const { statement } = writes()
  return {
    ignoredBy: (person) =>
      read(async (db) => {
        // UNION removes duplicates: the stored key may also be one of the ignored person's keys.
        const { rows } = await sql<IgnoredRow>`
          WITH known (other, key) AS (
            SELECT other, fingerprint FROM ignored JOIN person_keys ON person_keys.person = other
            WHERE ignored.person = ${person}
            UNION SELECT other, key FROM ignored WHERE person = ${person} AND key IS NOT NULL
          )
          SELECT ignored.other AS id, coalesce(people.name, ignored.name) AS name, ignored.name AS "nameThen",
            known.key, same.id AS "sameId", same.name AS "sameName"
          FROM ignored
          LEFT JOIN people ON people.id = ignored.other
          LEFT JOIN known ON known.other = ignored.other
          LEFT JOIN person_keys ON person_keys.fingerprint = known.key AND person_keys.person <> ignored.other
          LEFT JOIN people AS same ON same.id = person_keys.person
          WHERE ignored.person = ${person} ORDER BY 2, 1`.execute(db)
        return toIgnored(rows)
      }),
    add: (person, { id, name }, key) =>
      statement((db) => {
        const row = { person, other: id, name, key: key ?? null }
        return send(
          db
            .insertInto('ignored')
            .values(row)
            .onConflict((conflict) => conflict.doNothing()),
        )
      }),
    remove: (person, other) =>
      statement((db) =>
        send(db.deleteFrom('ignored').where('person', '=', person).where('other', '=', other)),
      ),
  }
}

/** A key of an ignored person, with another person who has the same key. */
interface IgnoredRow extends Pick<IgnoredPerson, 'id' | 'name' | 'nameThen'> {
  readonly key: Fingerprint | null
  readonly sameId: PersonId | null
  readonly sameName: string
}

function toIgnored(rows: readonly IgnoredRow[]): readonly IgnoredPerson[] {
  const all = new Map(
    rows.map((row) => [row.id, { row, keys: new Set<Fingerprint>(), same: new Map<PersonId, string>() }]),
  )
  for (const { id, key, sameId, sameName } of rows) {
    if (key !== null) all.get(id)?.keys.add(key)
    if (sameId !== null) all.get(id)?.same.set(sameId, sameName)
  }
  return [...all.values()].map(({ row: { id, name, nameThen }, keys, same }) => ({
    id,
    name,
    nameThen,
    keys: [...keys],
    sameKey: [...same].map(([id, name]) => ({ id, name })),
  }))
}

export function createAwayStore({ read, writes }: Database): AwayStore {
  const { statement } = writes()
  return {
    away: () =>
      read((db) =>
        db.selectFrom('away').select(['person', 'text']).orderBy('at').orderBy('person').execute(),
      ),
    leave: ({ person, text }, at) => statement((db) => put(db, 'away', { person, text, at }, 'person')),
    comeBack: (person) => statement((db) => send(db.deleteFrom('away').where('person', '=', person))),
  }
}
