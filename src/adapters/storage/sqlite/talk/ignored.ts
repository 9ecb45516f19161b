import type { Fingerprint, PersonId } from '../../../../chat/people/person.ts'
import type { Ignored, IgnoredStore } from '../../../../chat/talk/ports.ts'
import type { Connection } from '../connection.ts'

interface IgnoredRow extends Pick<Ignored, 'id' | 'name' | 'nameThen'> {
  /** JSON. */
  readonly keys: string
  readonly sameKey: string
}

/** The keys of whom a row is about; the same key may be both of these. */
const KEYS = 'SELECT fingerprint FROM person_keys WHERE person = other UNION SELECT key WHERE key IS NOT NULL'

/** Who ignores whom. */
export function createIgnoredStore({ db, read, write }: Connection): IgnoredStore {
  const list = db.prepare<[PersonId], IgnoredRow>(
    `SELECT other AS id, ifnull(people.name, ignored.name) AS name, ignored.name AS nameThen,
       (SELECT json_group_array(fingerprint) FROM (${KEYS})) AS keys,
       (SELECT json_group_array(json_object('id', same.id, 'name', same.name)) FROM people AS same
        WHERE same.id <> other AND same.id IN (SELECT person FROM person_keys WHERE fingerprint IN (${KEYS}))) AS sameKey
     FROM ignored LEFT JOIN people ON people.id = other WHERE person = ? ORDER BY 2, other`,
  )
  const add = db.prepare<[PersonId, PersonId, string, Fingerprint | null]>(
    'INSERT INTO ignored (person, other, name, key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const remove = db.prepare<[PersonId, PersonId]>('DELETE FROM ignored WHERE person = ? AND other = ?')
  return {
    ignoredBy: (person) => read(() => list.all(person).map(toIgnored)),
    add: (person, other, key) => write(() => void add.run(person, other.id, other.name, key ?? null)),
    remove: (person, other) => write(() => void remove.run(person, other)),
  }
}

const toIgnored = ({ keys, sameKey, ...row }: IgnoredRow): Ignored => ({
  ...row,
  keys: JSON.parse(keys),
  sameKey: JSON.parse(sameKey),
})
