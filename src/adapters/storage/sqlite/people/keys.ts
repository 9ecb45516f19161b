import type { KeyStore, StoredKey } from '../../../../chat/people/ports.ts'
import type { Fingerprint, PersonId } from '../../../../chat/people/person.ts'
import type { Connection } from '../connection.ts'

/** The keys of registered people. */
export function createKeyStore({ db, read, write }: Connection): KeyStore {
  const sql = prepare(db)
  return {
    list: (id) => read(() => sql.list.all(id)),
    add: (id, key, at, max) =>
      write(() => {
        const holders = sql.holders.all(key).map(({ person }) => person)
        if (holders.includes(id)) return 'known'
        if (holders.length > 0) return 'taken'
        if (sql.list.all(id).length >= max) return 'full'
        sql.add.run(id, key, at)
        return 'added'
      }),
    remove: (id, key) =>
      write(() => {
        const keys = sql.list.all(id)
        if (!keys.some(({ fingerprint }) => fingerprint === key)) return 'unknown'
        if (keys.length === 1) return 'last'
        sql.remove.run(id, key)
        return 'removed'
      }),
  }
}

function prepare(db: Connection['db']) {
  return {
    list: db.prepare<[PersonId], StoredKey>(
      'SELECT fingerprint, added_at AS addedAt FROM person_keys WHERE person = ? ORDER BY added_at, fingerprint',
    ),
    holders: db.prepare<[Fingerprint], { person: PersonId }>(
      'SELECT person FROM person_keys WHERE fingerprint = ?',
    ),
    add: db.prepare<[PersonId, Fingerprint, number]>(
      'INSERT INTO person_keys (person, fingerprint, added_at) VALUES (?, ?, ?)',
    ),
    remove: db.prepare<[PersonId, Fingerprint]>(
      'DELETE FROM person_keys WHERE person = ? AND fingerprint = ?',
    ),
  }
}
