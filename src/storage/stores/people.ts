import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { NameIndex } from '../../chat/people/index.ts'
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'
import type { LoginFacts, PeopleStore } from '../../chat/index.ts'
import { look } from '../../base/text/names.ts'
import { type Database, integer, requireRow, select } from '../database.ts'
import { NAMES } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { indexNames } from './names.ts'

/** Registered people. Guests have no row. */
export function createPeopleStore(database: Database): PeopleStore & NameIndex {
  const { dialect, read } = database
  const { write } = database.writes()
  const findAll = async (query: RawBuilder<PersonRow>): Promise<readonly Person[]> =>
    (await select(database, query)).map(toPerson)
  const find = async (query: RawBuilder<PersonRow>): Promise<Person | undefined> => (await findAll(query))[0]
  return {
    bySkeleton: (skeleton, at) =>
      find(sql`SELECT id, name, admin FROM people WHERE skeleton = ${skeleton}
        UNION ALL SELECT people.id, people.name, people.admin
        FROM kept_names JOIN people ON people.id = kept_names.person
        WHERE kept_names.skeleton = ${skeleton} AND until > ${at} LIMIT 1`),
    byId: (id) => find(sql`SELECT id, name, admin FROM people WHERE id = ${id}`),
    beginning: (skeleton, most) =>
      // Uses SQL's length: JavaScript counts UTF-16 units, the database may count characters.
      findAll(sql`SELECT id, name, admin FROM people
        WHERE substr(skeleton, 1, length(cast(${skeleton} AS text))) = ${skeleton} ORDER BY name LIMIT ${most}`),
    byIds: (ids) => findAll(sql`SELECT id, name, admin FROM people WHERE id IN ${dialect.list(ids)}`),
    forLogin: (skeleton, key, at) =>
      read(async (db) => {
        const { rows } = await selectLogin(skeleton, key, at).execute(db)
        return toLoginFacts(requireRow(rows[0]))
      }),
    keysOf: (id) =>
      read(async (db) => {
        const keys = db.selectFrom('person_keys').select('fingerprint').where('person', '=', id)
        const rows = await keys.orderBy('added_at').orderBy('fingerprint').execute()
        return rows.map(({ fingerprint }) => fingerprint)
      }),
    holdersOf: (keys) =>
      findAll(sql`SELECT id, name, admin FROM people
        WHERE id IN (SELECT person FROM person_keys WHERE fingerprint IN ${dialect.list(keys)}) ORDER BY name`),
    register: (person, skeleton, key, at, most) =>
      write((db) => registerPerson(db, { person, skeleton, key, at, most }), NAMES),
    hasAdmin: () => read(hasAdmin),
    claimAdmin: (id) => write(async (db) => !(await hasAdmin(db)) && (await makeAdmin(db, id)), NAMES),
    reindexNames: () => indexNames(read, write),
  }
}

export type PersonRow = Pick<Tables['people'], 'id' | 'name' | 'admin'>

export const toPerson = ({ id, name, admin }: PersonRow): Person => ({
  id,
  name,
  admin: admin === 1,
  guest: false,
})

interface Registration {
  readonly person: Person
  readonly skeleton: string
  readonly key: Fingerprint | undefined
  readonly at: number
  readonly most?: number | undefined
}

/** The caller holds the lock `NAMES`. False, and nothing done, in the cases of `PeopleStore.register`. */
export async function registerPerson(
  db: Kysely<Tables>,
  { person: { id, name, admin }, skeleton, key, at, most = Number.MAX_SAFE_INTEGER }: Registration,
): Promise<boolean> {
  const mark = look(name)
  const { numAffectedRows } = await sql`
    INSERT INTO people (id, name, skeleton, look, admin, created_at)
    SELECT ${id}, ${name}, ${skeleton}, ${mark}, ${integer(admin ? 1 : 0)}, ${integer(at)}
    WHERE NOT EXISTS (SELECT 1 FROM kept_names WHERE skeleton IN (${skeleton}, ${mark}) AND until > ${at})
      AND NOT EXISTS (SELECT 1 FROM people WHERE look IN (${skeleton}, ${mark}) OR skeleton = ${mark})
      AND (SELECT count(*) FROM person_keys WHERE fingerprint = ${key ?? null}) < ${most}
    ON CONFLICT (skeleton) DO NOTHING`.execute(db)
  if (numAffectedRows === 0n) return false
  if (key !== undefined)
    await db.insertInto('person_keys').values({ person: id, fingerprint: key, added_at: at }).execute()
  return true
}

async function hasAdmin(db: Kysely<Tables>): Promise<boolean> {
  const admins = db.selectFrom('people').select('id').where('admin', '=', 1).limit(1)
  return (await admins.executeTakeFirst()) !== undefined
}

async function makeAdmin(db: Kysely<Tables>, id: PersonId): Promise<boolean> {
  const change = db.updateTable('people').set({ admin: 1 })
  return (await change.where('id', '=', id).executeTakeFirst()).numUpdatedRows === 1n
}

/** The person who has the name, or nulls, and facts about the key. `holders` has ids between spaces. */
type LoginRow = (PersonRow | { readonly id: null }) & {
  readonly filedName: string | null
  readonly ownsName: unknown
  readonly isWaiting: unknown
  readonly holders: string | null
}

/**
 * The same statement for free and taken names, so that the time of a login does not reveal names. People with
 * the same name by older rules have skeletons with the same beginning (names.ts).
 */
const selectLogin = (skeleton: string, key: Fingerprint, at: number): RawBuilder<LoginRow> => sql`
  SELECT people.id, people.name, people.admin, coalesce(found.former, people.name) AS "filedName",
    owned.person IS NOT NULL AS "ownsName", waiting.person IS NOT NULL AS "isWaiting",
    (SELECT string_agg(person, ' ') FROM person_keys WHERE fingerprint = ${key}) AS holders
  FROM (SELECT 1) AS always LEFT JOIN (
      SELECT id, cast(NULL AS text) AS former FROM people
      WHERE skeleton >= ${skeleton} AND skeleton < ${skeleton} || '!'
      UNION ALL SELECT person, name FROM kept_names WHERE skeleton = ${skeleton} AND until > ${at}
    ) AS found ON true
    LEFT JOIN people ON people.id = found.id
    LEFT JOIN person_keys AS owned ON owned.person = people.id AND owned.fingerprint = ${key}
    LEFT JOIN waiting_keys AS waiting ON waiting.person = people.id AND waiting.fingerprint = ${key}
  ORDER BY found.former IS NOT NULL, "ownsName" DESC, people.skeleton LIMIT 1`

function toLoginFacts(row: LoginRow): LoginFacts {
  const holders = toIds(row.holders)
  const facts = {
    ownsName: Boolean(row.ownsName),
    isWaiting: Boolean(row.isWaiting),
    namesOfKey: holders.length,
    holders,
  }
  return row.id === null ? facts : { person: toPerson(row), filedName: row.filedName ?? '', ...facts }
}

const toIds = (list: string | null): readonly PersonId[] => (list?.split(' ') ?? []) as PersonId[]
