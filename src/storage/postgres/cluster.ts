// What servers that share the database store about each other: which servers run, who is in a room through
// which server, broadcasts, rooms that are closing. It must not know what follows (src/cluster).

import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RoomName } from '../../words/entry.ts'
import type { Login, Person } from '../../words/person.ts'
import type {
  BroadcastRow,
  BroadcastStore,
  ClosingStore,
  ClusterStores,
  CommonStore,
  ExpiredServers,
  PersonInRoom,
  PresentRow,
  PresentStore,
  ServerId,
  ServerRecord,
  ServerStore,
} from '../../cluster/index.ts'
import type { Log } from '../../base/environment.ts'
import { changesRow, requireRow, select } from '../database.ts'
import { roomLog } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { newestIn } from './append.ts'
import { ChangeListener } from './changes.ts'
import type { PostgresDatabase } from './database.ts'
import { MIGRATIONS, presenceOf } from './locks.ts'
import { createQuestionStore, createWorkStore, questionsOf } from './work.ts'

/** LISTEN connects to `url`. */
export const createClusterStores = (
  database: PostgresDatabase,
  { url, server, log }: { readonly url: string; readonly server: ServerId; readonly log: Log },
): ClusterStores => ({
  server,
  servers: createServerStore(database, server),
  present: createPresentStore(database, server),
  changes: new ChangeListener({ url, self: server, log }),
  broadcasts: createBroadcastStore(database, server),
  closings: createClosingStore(database, server),
  work: createWorkStore(database, server),
  questions: createQuestionStore(database, server),
  common: createCommonStore(database),
  newestIn: (rooms) => database.read((db) => newestIn(db, rooms)),
})

function createServerStore(database: PostgresDatabase, self: ServerId): ServerStore {
  const { statement } = database.writes()

  async function remove(which: RawBuilder<unknown>): Promise<ExpiredServers> {
    const found = await select(database, sql<{ id: ServerId }>`SELECT id FROM servers WHERE ${which}`)
    if (found.length === 0) return { servers: [], left: [], questions: [] }
    const servers = found.map(({ id }) => id)
    const places = await select(
      database,
      sql<PersonInRoom>`SELECT DISTINCT room, person FROM present WHERE server = ANY(${servers})`,
    )
    // Keeps these people from entering and leaving these rooms meanwhile.
    const locks = places.map(({ room, person }) => presenceOf(room, person))
    return await database.transaction((db) => removeLocked(db, sql`id = ANY(${servers}) AND ${which}`), locks)
  }

  return {
    async register({ name, version, config }) {
      const row = sql`
        INSERT INTO servers (id, name, version, facts, seen_at)
        VALUES (${self}, ${name}, ${version}, ${JSON.stringify({ config })}, clock_timestamp())
        ON CONFLICT (id) DO UPDATE
        SET name = excluded.name, facts = excluded.facts, seen_at = excluded.seen_at`
      await statement((db) => row.execute(db))
    },
    update: ({ name, config }) =>
      statement((db) =>
        changesRow(
          db,
          sql`UPDATE servers SET name = ${name}, facts = ${JSON.stringify({ config })} WHERE id = ${self}`,
        ),
      ),
    renew: () =>
      statement((db) =>
        changesRow(db, sql`UPDATE servers SET seen_at = clock_timestamp() WHERE id = ${self}`),
      ),
    async end() {
      await remove(sql`id = ${self}`)
    },
    expire: (ms) =>
      remove(sql`id <> ${self} AND seen_at < clock_timestamp() - ${ms} * interval '1 millisecond'`),
    expireOne: (server) => remove(sql`id = ${server}`),
    alive: () =>
      select(
        database,
        sql<ServerRecord>`
          SELECT id, name, version, facts::json ->> 'config' AS config FROM servers ORDER BY id`,
      ),
  }
}

/** Removes servers that still match: others may have removed one, or one may have renewed its lease. */
async function removeLocked(db: Kysely<Tables>, which: RawBuilder<unknown>): Promise<ExpiredServers> {
  const gone = await sql<Pick<ServerRecord, 'id' | 'name'>>`
    SELECT id, name FROM servers WHERE ${which} ORDER BY id FOR UPDATE`.execute(db)
  const servers = gone.rows.map(({ id }) => id)
  const left = await sql<ExpiredServers['left'][number]>`
    SELECT room, coalesce(people.name, left_places.name) AS name FROM (
      SELECT DISTINCT ON (room, person) room, person, name FROM present AS theirs
      WHERE server = ANY(${servers}) AND NOT EXISTS (
        SELECT 1 FROM present WHERE present.person = theirs.person AND present.room = theirs.room
          AND present.server <> ALL(${servers}))
    ) AS left_places LEFT JOIN people ON people.id = person ORDER BY room, 2`.execute(db)
  const questions = await questionsOf(db, servers)
  await sql`DELETE FROM servers WHERE id = ANY(${servers})`.execute(db)
  return { servers: gone.rows, left: left.rows, questions }
}

function createPresentStore(database: PostgresDatabase, self: ServerId): PresentStore {
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
          // `xmax` is 0 only in a row that this statement inserted.
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
  /** Null for a guest. */
  readonly admin: number | null
  readonly facts: string
}

/** Facts about a present person that are stored only in `present`. */
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

/** The table `broadcasts`. Sending deletes old rows: all servers have read them or lost their lease since. */
function createBroadcastStore(database: PostgresDatabase, self: ServerId): BroadcastStore {
  const { statement } = database.writes()
  return {
    async send({ kind, data }) {
      const row = sql`
        WITH old AS (DELETE FROM broadcasts WHERE id IN (
          SELECT id FROM broadcasts WHERE at < now() - interval '10 minutes' FOR UPDATE SKIP LOCKED))
        INSERT INTO broadcasts (server, kind, data) VALUES (${self}, ${kind}, ${JSON.stringify(data)})`
      await statement((db) => row.execute(db))
    },
    async ids() {
      const query = sql<{ id: number }>`SELECT id FROM broadcasts WHERE server <> ${self}`
      return (await select(database, query)).map(({ id }) => String(id))
    },
    async read(ids) {
      const query = sql<{ id: number; kind: string; data: string }>`
        SELECT id, kind, data FROM broadcasts WHERE id = ANY(${ids.map(Number)}::bigint[]) ORDER BY id`
      return (await select(database, query)).map(({ id, kind, data }) => {
        const broadcast = { kind, data: JSON.parse(data) } as BroadcastRow
        return { ...broadcast, id: String(id) }
      })
    },
  }
}

/** The columns `closing_server` and `closing_by` of rooms, which each append checks (append.ts). */
function createClosingStore(database: PostgresDatabase, self: ServerId): ClosingStore {
  const { write, statement } = database.writes()
  return {
    close(room, by) {
      const change = sql`UPDATE rooms SET closing_server = ${self}, closing_by = ${by}
        WHERE name = ${room} AND closing_server IS NULL`
      return write((db) => changesRow(db, change), roomLog(room))
    },
    async open(room) {
      const change = sql`
        UPDATE rooms SET closing_server = NULL WHERE name = ${room} AND closing_server = ${self}`
      await statement((db) => change.execute(db))
    },
    async closedByOthers() {
      const query = sql<{ name: RoomName; by: string }>`
        SELECT name, closing_by AS by FROM rooms WHERE closing_server <> ${self} ORDER BY name`
      return new Map((await select(database, query)).map(({ name, by }) => [name, by]))
    },
    async isUsedByOthers(room) {
      const query = sql`
        SELECT 1 FROM present WHERE room = ${room} AND server <> ${self}
        UNION ALL SELECT 1 FROM work WHERE room = ${room} AND server <> ${self} LIMIT 1`
      return (await select(database, query)).length > 0
    },
  }
}

const createCommonStore = (database: PostgresDatabase): CommonStore => ({
  claimCode: (made) =>
    database.transaction(
      async (db) => {
        await sql`
          INSERT INTO secrets (name, value) VALUES ('claim', ${made}) ON CONFLICT DO NOTHING`.execute(db)
        const { rows } = await sql<{ value: string }>`
          SELECT value FROM secrets WHERE name = 'claim'`.execute(db)
        return requireRow(rows[0]).value
      },
      [MIGRATIONS],
    ),
  async now() {
    const query = sql<{ now: number }>`
      SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`
    return requireRow((await select(database, query))[0]).now
  },
})
