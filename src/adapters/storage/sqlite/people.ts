import type { Fingerprint, Person, PersonId } from '../../../chat/people/person.ts'
import type { PeopleStore } from '../../../chat/ports.ts'
import { type Connection, returned } from './connection.ts'

/** What a `Person` is made from. */
export interface PersonRow {
  readonly id: PersonId
  readonly name: string
  readonly admin: number
}

/** Whoever has the name, if anybody, and what is to be known of the key. */
type LoginRow = (PersonRow | { readonly id: null }) & { readonly owns: number; readonly names: number }

/** A registered person; guests have no row. */
export const toPerson = ({ id, name, admin }: PersonRow): Person => ({
  id,
  name,
  admin: admin === 1,
  guest: false,
})

/** People and their keys. */
export function createPeopleStore(connection: Connection): PeopleStore {
  const { read, write } = connection
  const sql = prepare(connection)
  return {
    bySkeleton: (skeleton) => read(() => one(sql.bySkeleton.get(skeleton))),
    byId: (id) => read(() => one(sql.byId.get(id))),
    forLogin: (skeleton, key) =>
      read(() => {
        const { owns, names, ...row } = returned(sql.forLogin.get({ skeleton, key }))
        const facts = { ownsName: owns === 1, namesOfKey: names }
        return row.id === null ? facts : { person: toPerson(row), ...facts }
      }),
    keysOf: (id) => read(() => sql.keysOf.all(id).map((row) => row.fingerprint)),
    register: ({ id, name, admin }, skeleton, key, at) =>
      write(() => {
        const registered = sql.insert.run({ id, name, admin: admin ? 1 : 0, skeleton, at }).changes === 1
        if (registered) sql.addKey.run(id, key, at)
        return registered
      }),
    addKey: (id, key, at) => write(() => void sql.addKey.run(id, key, at)),
    setAdmin: (id, admin) => write(() => void sql.setAdmin.run(admin ? 1 : 0, id)),
    hasAdmin: () => read(() => sql.admin.get() !== undefined),
    claimAdmin: (id) => write(() => sql.claim.run(id).changes === 1),
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
         (SELECT count(*) FROM person_keys WHERE fingerprint = @key) AS names
       FROM (SELECT @skeleton AS wanted) LEFT JOIN people ON people.skeleton = wanted
         LEFT JOIN person_keys AS owned ON owned.person = people.id AND owned.fingerprint = @key`,
    ),
    keysOf: db.prepare<[PersonId], { fingerprint: Fingerprint }>(
      'SELECT fingerprint FROM person_keys WHERE person = ? ORDER BY added_at, fingerprint',
    ),
    insert: db.prepare<[PersonRow & { skeleton: string; at: number }]>(
      `INSERT INTO people (id, name, skeleton, admin, created_at)
       VALUES (@id, @name, @skeleton, @admin, @at) ON CONFLICT (skeleton) DO NOTHING`,
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
