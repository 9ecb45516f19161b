import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RoomName } from '../../../chat/entry.ts'
import type { Login, Person } from '../../../chat/people/person.ts'
import type { PersonInRoom, PresentRow, PresentStore, ServerId } from '../../../cluster/stores.ts'
import { requireRow } from '../database.ts'
import type { Tables } from '../tables.ts'
import { changesRow, type PostgresDatabase, select } from './database.ts'
import { presenceOf } from './locks.ts'

/** The table `present`. */
export function createPresentStore(database: PostgresDatabase, self: ServerId): PresentStore {
  const { transaction } = database
  const isElsewhere = async (db: Kysely<Tables>, room: RoomName, { id }: Person): Promise<boolean> => {
    const { rows } = await sql`
      SELECT 1 FROM present WHERE person = ${id} AND room = ${room} AND server <> ${self} LIMIT 1`.execute(db)
    return rows.length > 0
  }

  return {
    come: (room, person) =>
      transaction(
        async (db) => {
          // A row that was there already was not inserted by this transaction.
          const { rows } = await sql<{ isNew: boolean }>`
            INSERT INTO present (room, person, server, name, facts)
            VALUES (${room}, ${person.id}, ${self}, ${person.name}, ${factsOf(person)})
            ON CONFLICT (person, room, server) DO UPDATE SET name = excluded.name, facts = excluded.facts
            RETURNING (xmax = 0) AS "isNew"`.execute(db)
          return requireRow(rows[0]).isNew && !(await isElsewhere(db, room, person))
        },
        [presenceOf(room, person.id)],
      ),
    go: (room, person) =>
      transaction(
        async (db) => {
          const row = sql`person = ${person.id} AND room = ${room} AND server = ${self}`
          const wasThere = await changesRow(db, sql`DELETE FROM present WHERE ${row}`)
          return wasThere && !(await isElsewhere(db, room, person))
        },
        [presenceOf(room, person.id)],
      ),
    async elsewhere(places) {
      const query = sql<StoredPresence>`
        SELECT room, person, server, coalesce(people.name, present.name) AS name, people.admin, facts
        FROM present LEFT JOIN people ON people.id = person
        WHERE server <> ${self} AND ${places ? isAt(places) : sql`true`}`
      return (await select(database, query)).map(toPresent)
    },
  }
}

const isAt = (places: readonly PersonInRoom[]): RawBuilder<unknown> => sql`
  (person, room) IN (SELECT * FROM
    unnest(${places.map(({ person }) => person)}::text[], ${places.map(({ room }) => room)}::text[]))`

interface StoredPresence extends PersonInRoom {
  readonly server: ServerId
  readonly name: string
  /** Of a registered person. */
  readonly admin: number | null
  readonly facts: string
}

/** What is stored of somebody who is there, and nowhere else. */
interface Facts extends Pick<Person, 'admin' | 'guest'> {
  readonly login?: Pick<Login, 'key' | 'network'>
}

function factsOf({ admin, guest, login }: Person): string {
  const facts: Facts = {
    admin,
    guest,
    ...(login && { login: { key: login.key, network: login.network } }),
  }
  return JSON.stringify(facts)
}

function toPresent({ room, server, person: id, facts: json, name, admin }: StoredPresence): PresentRow {
  const facts = JSON.parse(json) as Facts
  return { room, server, person: { ...facts, id, name, admin: facts.admin || admin === 1 } }
}
