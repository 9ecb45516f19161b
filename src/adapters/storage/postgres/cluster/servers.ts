// What servers that share the database tell each other of themselves. Rows are plain values: nothing here judges who may what.

import type { RoomName } from '../../../../chat/entry.ts'
import type {
  ExpiredServers,
  ServerFacts,
  ServerId,
  ServerRecord,
  ServerStore,
} from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import type { Lock } from '../../locks.ts'
import { presenceOf } from '../locks.ts'
import { sql, type Sql } from '../sql.ts'
import type { Statements } from '../statements.ts'
import { questionsOf } from './questions.ts'

interface ServerRow extends Pick<ServerRecord, 'id' | 'name' | 'version'> {
  readonly facts: string
}

/** The table `servers`. */
export function createServerStore(
  { read, transaction, writeQueue }: Connections,
  self: ServerId,
): ServerStore {
  const writes = writeQueue()
  return {
    async register({ name, version, config }) {
      await writes.run(sql`
        INSERT INTO servers (id, name, version, facts, seen_at)
        VALUES (${self}, ${name}, ${version}, ${JSON.stringify({ config })}, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, facts = excluded.facts, seen_at = excluded.seen_at`)
    },
    update: async ({ name, config }) =>
      (await writes.run(sql`
        UPDATE servers SET name = ${name}, facts = ${JSON.stringify({ config })} WHERE id = ${self}`)) > 0,
    renew: async () =>
      (await writes.run(sql`UPDATE servers SET seen_at = clock_timestamp() WHERE id = ${self}`)) > 0,
    async end() {
      await remove(sql`id = ${self}`)
    },
    expire: (ms) =>
      remove(sql`id <> ${self} AND seen_at < clock_timestamp() - ${ms} * interval '1 millisecond'`),
    expireOne: (server) => remove(sql`id = ${server}`),
    async alive() {
      const rows = await read.all<ServerRow>(sql`SELECT id, name, version, facts FROM servers ORDER BY id`)
      return rows.map(({ facts, ...row }) => ({
        ...row,
        ...(JSON.parse(facts) as Pick<ServerFacts, 'config'>),
      }))
    },
  }

  async function remove(which: Sql): Promise<ExpiredServers> {
    const rows = await read.all<Pick<ServerRecord, 'id'>>(sql`SELECT id FROM servers WHERE ${which}`)
    const servers = rows.map(({ id }) => id)
    if (servers.length === 0) return { servers: [], left: [], questions: [] }
    const left = await placesOf(read, servers)
    return await transaction((tx) => removeLocked(tx, sql`id = ANY(${servers}) AND ${which}`), locksOf(left))
  }
}

interface LeftPlace {
  readonly room: RoomName
  readonly person: string
}

const placesOf = (statements: Statements, servers: readonly ServerId[]): Promise<readonly LeftPlace[]> =>
  statements.all<LeftPlace>(sql`SELECT DISTINCT room, person FROM present WHERE server = ANY(${servers})`)

/** Nobody comes or goes there meanwhile. */
const locksOf = (left: readonly LeftPlace[]): readonly Lock[] =>
  left.map(({ room, person }) => presenceOf(room, person))

/** A server that another one has removed meanwhile, or that has renewed its lease, is left out. */
async function removeLocked(tx: Statements, which: Sql): Promise<ExpiredServers> {
  const gone = await tx.all<Pick<ServerRow, 'id' | 'name'>>(
    sql`SELECT id, name FROM servers WHERE ${which} ORDER BY id FOR UPDATE`,
  )
  const servers = gone.map(({ id }) => id)
  const left = await tx.all<ExpiredServers['left'][number]>(sql`
    SELECT room, coalesce(people.name, left_places.name) AS name FROM (
      SELECT DISTINCT ON (room, person) room, person, name FROM present AS theirs WHERE server = ANY(${servers})
        AND NOT EXISTS (SELECT 1 FROM present WHERE present.person = theirs.person AND present.room = theirs.room
          AND present.server <> ALL(${servers}))
    ) AS left_places LEFT JOIN people ON people.id = person ORDER BY room, 2`)
  const questions = await questionsOf(tx, servers)
  await tx.run(sql`DELETE FROM servers WHERE id = ANY(${servers})`)
  return { servers: gone, left, questions }
}
