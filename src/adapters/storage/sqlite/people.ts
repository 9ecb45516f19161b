import type { NameFiling } from '../../../chat/people/name-filing.ts'
import type { Fingerprint, Person, PersonId } from '../../../chat/people/person.ts'
import type { PeopleStore } from '../../../chat/ports.ts'
import { look } from '../../../lib/text/skeleton.ts'
import { type Connection, returned } from './connection.ts'
import { fileNames } from './names/names.ts'

/** What a `Person` is made from. */
export interface PersonRow {
  readonly id: PersonId
  readonly name: string
  readonly admin: number
}

interface NewPerson extends PersonRow {
  readonly skeleton: string
  readonly look: string
  readonly key: Fingerprint
  readonly at: number
  readonly most: number
}

/** More names than there can be. */
const ANY_NUMBER = Number.MAX_SAFE_INTEGER

/** Whoever has the name, if anybody, and what is to be known of the key. */
type LoginRow = (PersonRow | { readonly id: null }) & { readonly owns: number; readonly holders: string }

/** A registered person; guests have no row. */
export const toPerson = ({ id, name, admin }: PersonRow): Person => ({
  id,
  name,
  admin: admin === 1,
  guest: false,
})

/** People and their keys. */
export function createPeopleStore(connection: Connection): PeopleStore & NameFiling {
  const { read, write } = connection
  const sql = prepare(connection)
  return {
    bySkeleton: (skeleton) => read(() => one(sql.bySkeleton.get(skeleton))),
    byId: (id) => read(() => one(sql.byId.get(id))),
    forLogin: (skeleton, key) =>
      read(() => {
        const { owns, holders, ...row } = returned(sql.forLogin.get({ skeleton, key }))
        const ids: readonly PersonId[] = JSON.parse(holders)
        const facts = { ownsName: owns === 1, namesOfKey: ids.length, holders: ids }
        return row.id === null ? facts : { person: toPerson(row), ...facts }
      }),
    keysOf: (id) => read(() => sql.keysOf.all(id).map((row) => row.fingerprint)),
    register: ({ id, name, admin }, skeleton, key, at, most = ANY_NUMBER) =>
      write(() => {
        const row = { id, name, admin: admin ? 1 : 0, skeleton, look: look(name) }
        const registered = sql.insert.run({ ...row, key, at, most }).changes === 1
        if (registered) sql.addKey.run(id, key, at)
        return registered
      }),
    addKey: (id, key, at) => write(() => void sql.addKey.run(id, key, at)),
    setAdmin: (id, admin) => write(() => void sql.setAdmin.run(admin ? 1 : 0, id)),
    hasAdmin: () => read(() => sql.admin.get() !== undefined),
    claimAdmin: (id) => write(() => sql.claim.run(id).changes === 1),
    fileNames: () => fileNames(connection),
  }
}

const one = (row: PersonRow | undefined): Person | undefined => row && toPerson(row)

function prepare({ db }: Connection) {
  const columns = 'SELECT id, name, admin FROM people'
  return {
    bySkeleton: db.prepare<[string], PersonRow>(`${columns} WHERE skeleton = ?`),
    byId: db.prepare<[PersonId], PersonRow>(`${columns} WHERE id = ?`),
    admin: db.prepare<[], PersonRow>(`${columns} WHERE admin = 1 LIMIT 1`),
    forLogin: db.prepare<[{ skeleton: string; key: Fingerprint }], LoginRow>(
      `SELECT people.id, people.name, people.admin, owned.person IS NOT NULL AS owns,
         (SELECT json_group_array(person) FROM person_keys WHERE fingerprint = @key) AS holders
       FROM (SELECT @skeleton AS wanted) LEFT JOIN people
           ON people.skeleton >= wanted AND people.skeleton < wanted || '!'
         LEFT JOIN person_keys AS owned ON owned.person = people.id AND owned.fingerprint = @key
       ORDER BY owns DESC, people.skeleton LIMIT 1`,
    ),
    keysOf: db.prepare<[PersonId], { fingerprint: Fingerprint }>(
      'SELECT fingerprint FROM person_keys WHERE person = ? ORDER BY added_at, fingerprint',
    ),
    insert: db.prepare<[NewPerson]>(
      `INSERT INTO people (id, name, skeleton, look, admin, created_at)
       SELECT @id, @name, @skeleton, @look, @admin, @at WHERE NOT EXISTS (
         SELECT 1 FROM people WHERE look IN (@skeleton, @look) OR skeleton = @look
       ) AND (SELECT count(*) FROM person_keys WHERE fingerprint = @key) < @most
       ON CONFLICT (skeleton) DO NOTHING`,
    ),
    addKey: db.prepare<[PersonId, Fingerprint, number]>(
      'INSERT INTO person_keys (person, fingerprint, added_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    setAdmin: db.prepare<[number, PersonId]>('UPDATE people SET admin = ? WHERE id = ?'),
    claim: db.prepare<[PersonId]>(
      'UPDATE people SET admin = 1 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM people WHERE admin = 1)',
    ),
  }
}
