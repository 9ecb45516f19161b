// Who is registered: their names, their keys and the codes that let newcomers in. It must not know who may do what.

import type { NameFiling } from '../../../../chat/people/name-filing.ts'
import type { Fingerprint, Person, PersonId } from '../../../../chat/people/person.ts'
import type { PeopleStore } from '../../../../chat/ports.ts'
import { look } from '../../../../lib/text/skeleton.ts'
import { type LoginRow, toLoginFacts } from '../../rows/login-row.ts'
import { type PersonRow, toPerson } from '../../rows/person-row.ts'
import { type Connection, returned } from '../connection.ts'
import { fileNames } from '../names/name-filing.ts'

interface NewPerson extends PersonRow {
  readonly skeleton: string
  readonly look: string
  readonly key: Fingerprint | null
  readonly at: number
  readonly most: number
}

/** More names than there can be. */
const ANY_NUMBER = Number.MAX_SAFE_INTEGER

/** The lists are JSON. */
type KeyedLoginRow = LoginRow & { readonly holders: string; readonly founders: string }

/** People and their keys. */
export function createPeopleStore(connection: Connection): PeopleStore & NameFiling {
  const { read, write } = connection
  const sql = prepare(connection)
  const register = prepareRegister(connection)
  return {
    bySkeleton: (skeleton, at) => read(() => one(sql.bySkeleton.get({ skeleton, at }))),
    byId: (id) => read(() => one(sql.byId.get(id))),
    forLogin: (skeleton, key, at) =>
      read(() => {
        const { holders, founders, ...row } = returned(sql.forLogin.get({ skeleton, key, at }))
        return toLoginFacts(row, JSON.parse(holders), JSON.parse(founders))
      }),
    keysOf: (id) => read(() => sql.keysOf.all(id).map((row) => row.fingerprint)),
    register: (person, skeleton, key, at, most) => write(() => register(person, skeleton, key, at, most)),
    setAdmin: (id, admin) => write(() => void sql.setAdmin.run(admin ? 1 : 0, id)),
    hasAdmin: () => read(() => sql.admin.get() !== undefined),
    claimAdmin: (id) => write(() => sql.claim.run(id).changes === 1),
    fileNames: () => fileNames(connection),
  }
}

type Register = (
  person: Person,
  skeleton: string,
  key: Fingerprint | undefined,
  at: number,
  most?: number,
) => boolean

/** Registers somebody within the transaction of the caller; false, and nothing done, where `PeopleStore.register` says so. */
export function prepareRegister({ db }: Connection): Register {
  const insert = db.prepare<[NewPerson]>(
    `INSERT INTO people (id, name, skeleton, look, admin, created_at)
     SELECT @id, @name, @skeleton, @look, @admin, @at
     WHERE NOT EXISTS (SELECT 1 FROM kept_names WHERE skeleton IN (@skeleton, @look) AND until > @at)
       AND NOT EXISTS (SELECT 1 FROM people WHERE look IN (@skeleton, @look) OR skeleton = @look)
       AND (SELECT count(*) FROM person_keys WHERE fingerprint = @key) < @most
     ON CONFLICT (skeleton) DO NOTHING`,
  )
  const addKey = db.prepare<[PersonId, Fingerprint, number]>(
    'INSERT INTO person_keys (person, fingerprint, added_at) VALUES (?, ?, ?)',
  )
  return ({ id, name, admin }, skeleton, key, at, most = ANY_NUMBER) => {
    const row = { id, name, admin: admin ? 1 : 0, skeleton, look: look(name), key: key ?? null, at, most }
    if (insert.run(row).changes === 0) return false
    if (key !== undefined) addKey.run(id, key, at)
    return true
  }
}

const one = (row: PersonRow | undefined): Person | undefined => row && toPerson(row)

function prepare({ db }: Connection) {
  const columns = 'SELECT id, name, admin FROM people'
  return {
    bySkeleton: db.prepare<[{ skeleton: string; at: number }], PersonRow>(
      `${columns} WHERE skeleton = @skeleton
       UNION ALL SELECT people.id, people.name, people.admin
       FROM kept_names JOIN people ON people.id = kept_names.person
       WHERE kept_names.skeleton = @skeleton AND until > @at LIMIT 1`,
    ),
    byId: db.prepare<[PersonId], PersonRow>(`${columns} WHERE id = ?`),
    admin: db.prepare<[], PersonRow>(`${columns} WHERE admin = 1 LIMIT 1`),
    forLogin: db.prepare<[{ skeleton: string; key: Fingerprint; at: number }], KeyedLoginRow>(
      `SELECT people.id, people.name, people.admin, coalesce(found.former, people.name) AS filedName, owned.person IS NOT NULL AS owns,
         waiting.person IS NOT NULL AS waits,
         (SELECT json_group_array(person) FROM person_keys WHERE fingerprint = @key) AS holders,
         (SELECT json_group_array(person) FROM person_keys AS mine WHERE fingerprint = @key AND NOT EXISTS (
           SELECT 1 FROM person_keys AS older WHERE older.person = mine.person AND older.added_at < mine.added_at)
         ) AS founders
       FROM (SELECT 1) LEFT JOIN (
           SELECT id, NULL AS former FROM people WHERE skeleton >= @skeleton AND skeleton < @skeleton || '!'
           UNION ALL SELECT person, name FROM kept_names WHERE skeleton = @skeleton AND until > @at
         ) AS found LEFT JOIN people ON people.id = found.id
         LEFT JOIN person_keys AS owned ON owned.person = people.id AND owned.fingerprint = @key
         LEFT JOIN waiting_keys AS waiting ON waiting.person = people.id AND waiting.fingerprint = @key
       ORDER BY found.former IS NOT NULL, owns DESC, people.skeleton LIMIT 1`,
    ),
    keysOf: db.prepare<[PersonId], { fingerprint: Fingerprint }>(
      'SELECT fingerprint FROM person_keys WHERE person = ? ORDER BY added_at, fingerprint',
    ),
    setAdmin: db.prepare<[number, PersonId]>('UPDATE people SET admin = ? WHERE id = ?'),
    claim: db.prepare<[PersonId]>(
      'UPDATE people SET admin = 1 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM people WHERE admin = 1)',
    ),
  }
}
