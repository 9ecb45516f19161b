// Who is registered: their names, their keys and the codes that let newcomers in. It must not know who may do what.

import type { NameFiling } from '../../../../chat/people/name-filing.ts'
import type { Fingerprint, Person, PersonId } from '../../../../chat/people/person.ts'
import type { PeopleStore } from '../../../../chat/ports.ts'
import { look } from '../../../../lib/text/skeleton.ts'
import { type LoginRow, toLoginFacts } from '../../rows/login-row.ts'
import { type PersonRow, toPerson } from '../../rows/person-row.ts'
import type { Connections } from '../connection.ts'
import { returned, type Statements } from '../statements.ts'
import { NAMES } from '../../locks.ts'
import { fileNames } from '../names/name-filing.ts'
import { sql, type Sql } from '../sql.ts'

type KeyedLoginRow = LoginRow & { readonly holders: PersonId[]; readonly founders: PersonId[] }

/** People and their keys. */
export function createPeopleStore(connection: Connections): PeopleStore & NameFiling {
  const { read } = connection
  const writes = connection.writeQueue()
  const one = async (statement: Sql): Promise<Person | undefined> => {
    const row = await read.get<PersonRow>(statement)
    return row && toPerson(row)
  }
  return {
    bySkeleton: (skeleton, at) =>
      one(sql`
        SELECT id, name, admin FROM people WHERE skeleton = ${skeleton}
        UNION ALL SELECT people.id, people.name, people.admin
        FROM kept_names JOIN people ON people.id = kept_names.person
        WHERE kept_names.skeleton = ${skeleton} AND until > ${at} LIMIT 1`),
    byId: (id) => one(sql`SELECT id, name, admin FROM people WHERE id = ${id}`),
    async forLogin(skeleton, key, at) {
      const row = await read.get<KeyedLoginRow>(forLogin(skeleton, key, at))
      const { holders, founders, ...facts } = returned(row)
      return toLoginFacts(facts, holders, founders)
    },
    async keysOf(id) {
      const rows = await read.all<{ fingerprint: Fingerprint }>(
        sql`SELECT fingerprint FROM person_keys WHERE person = ${id} ORDER BY added_at, fingerprint`,
      )
      return rows.map(({ fingerprint }) => fingerprint)
    },
    register: (person, skeleton, key, at, most) =>
      writes.write((tx) => register(tx, { person, skeleton, key, at, most }), NAMES),
    async setAdmin(id, admin) {
      await writes.run(sql`UPDATE people SET admin = ${admin ? 1 : 0} WHERE id = ${id}`)
    },
    hasAdmin: async () =>
      (await one(sql`SELECT id, name, admin FROM people WHERE admin = 1 LIMIT 1`)) !== undefined,
    claimAdmin: (id) =>
      writes.write(async (tx) => {
        const claimed = await tx.run(sql`
          UPDATE people SET admin = 1 WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM people WHERE admin = 1)`)
        return claimed === 1
      }, NAMES),
    fileNames: () => fileNames(connection),
  }
}

/** Somebody who is to be registered. */
export interface Registration {
  readonly person: Person
  readonly skeleton: string
  readonly key: Fingerprint | undefined
  readonly at: number
  readonly most?: number | undefined
}

/**
 * Registers somebody within a transaction that holds the lock `NAMES`; false, and nothing done, where `PeopleStore.register` says
 * so.
 */
export async function register(
  tx: Statements,
  { person: { id, name, admin }, skeleton, key, at, most = Number.MAX_SAFE_INTEGER }: Registration,
): Promise<boolean> {
  const marks = [skeleton, look(name)]
  const registered = await tx.run(sql`
    INSERT INTO people (id, name, skeleton, look, admin, created_at)
    SELECT ${id}, ${name}, ${skeleton}, ${look(name)}, ${admin ? 1 : 0}::bigint, ${at}::bigint
    WHERE NOT EXISTS (SELECT 1 FROM kept_names WHERE skeleton = ANY(${marks}) AND until > ${at})
      AND NOT EXISTS (SELECT 1 FROM people WHERE look = ANY(${marks}) OR skeleton = ${look(name)})
      AND NOT EXISTS (SELECT 1 FROM lent_names JOIN servers ON servers.id = server
        WHERE lent_names.skeleton = ${skeleton} AND fingerprint IS DISTINCT FROM ${key ?? null})
      AND (SELECT count(*) FROM person_keys WHERE fingerprint = ${key ?? null}) < ${most}
    ON CONFLICT (skeleton) DO NOTHING`)
  if (registered === 0) return false
  if (key !== undefined)
    await tx.run(sql`INSERT INTO person_keys (person, fingerprint, added_at) VALUES (${id}, ${key}, ${at})`)
  return true
}

const forLogin = (skeleton: string, key: Fingerprint, at: number): Sql => sql`
  SELECT people.id, people.name, people.admin, coalesce(found.former, people.name) AS "filedName",
    (owned.person IS NOT NULL)::integer AS owns, (waiting.person IS NOT NULL)::integer AS waits,
    ARRAY(SELECT person FROM person_keys WHERE fingerprint = ${key}) AS holders,
    ARRAY(SELECT person FROM person_keys AS mine WHERE fingerprint = ${key} AND NOT EXISTS (
      SELECT 1 FROM person_keys AS older WHERE older.person = mine.person AND older.added_at < mine.added_at)) AS founders
  FROM (SELECT 1) AS always LEFT JOIN (
      SELECT id, NULL::text AS former FROM people
      WHERE skeleton >= ${skeleton} AND skeleton < ${`${skeleton}!`}
      UNION ALL SELECT person, name FROM kept_names WHERE skeleton = ${skeleton} AND until > ${at}
    ) AS found ON true
    LEFT JOIN people ON people.id = found.id
    LEFT JOIN person_keys AS owned ON owned.person = people.id AND owned.fingerprint = ${key}
    LEFT JOIN waiting_keys AS waiting ON waiting.person = people.id AND waiting.fingerprint = ${key}
  ORDER BY found.former IS NOT NULL, owns DESC, people.skeleton LIMIT 1`
