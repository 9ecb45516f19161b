import type { RoomName } from '../../../../chat/entry.ts'
import type { Login, Person } from '../../../../chat/people/person.ts'
import type { PersonInRoom, PresentRow, PresentStore, ServerId } from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import { presenceOf } from '../locks.ts'
import { joined, sql, type Sql } from '../sql.ts'
import { returned, type Statements } from '../statements.ts'

/** The table `present`. */
export const createPresentStore = ({ read, transaction }: Connections, self: ServerId): PresentStore => {
  const isElsewhere = async (tx: Statements, room: RoomName, { id }: Person): Promise<boolean> =>
    (await tx.get(sql`
      SELECT 1 FROM present WHERE person = ${id} AND room = ${room} AND server <> ${self} LIMIT 1`)) !==
    undefined

  return {
    come: (room, person) =>
      transaction(
        async (tx) => {
          // A row that was there already was not inserted by this transaction.
          const row = await tx.get<{ isNew: boolean }>(sql`
        INSERT INTO present (room, person, server, name, facts)
        VALUES (${room}, ${person.id}, ${self}, ${person.name}, ${factsOf(person)})
        ON CONFLICT (person, room, server) DO UPDATE SET name = excluded.name, facts = excluded.facts
        RETURNING (xmax = 0) AS "isNew"`)
          return returned(row).isNew && !(await isElsewhere(tx, room, person))
        },
        [presenceOf(room, person.id)],
      ),
    go: (room, person) =>
      transaction(
        async (tx) => {
          const removed = await tx.run(
            sql`DELETE FROM present WHERE person = ${person.id} AND room = ${room} AND server = ${self}`,
          )
          return removed > 0 && !(await isElsewhere(tx, room, person))
        },
        [presenceOf(room, person.id)],
      ),
    async elsewhere(places) {
      const rows = await read.all<Row>(sql`
      SELECT room, person, server, coalesce(people.name, present.name) AS name, people.admin, facts FROM present LEFT JOIN people ON people.id = person
      WHERE server <> ${self} ${places ? joined([sql`AND`, at(places)], ' ') : sql``}`)
      return rows.map(toPresent)
    },
  }
}

const at = (places: readonly PersonInRoom[]): Sql => sql`
  (person, room) IN (SELECT * FROM unnest(${places.map(({ person }) => person)}::text[], ${places.map(({ room }) => room)}::text[]))`

interface Row extends PersonInRoom {
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

function toPresent({ room, server, person: id, facts: json, name, admin }: Row): PresentRow {
  const facts = JSON.parse(json) as Facts
  return { room, server, person: { ...facts, id, name, admin: facts.admin || admin === 1 } }
}
