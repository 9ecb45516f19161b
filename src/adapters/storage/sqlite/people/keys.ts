import type { KeyStore, StoredKey } from '../../../../chat/people/ports.ts'
import type { Fingerprint, PersonId } from '../../../../chat/people/person.ts'
import type { Connection } from '../connection.ts'

type KeyRow = Omit<StoredKey, 'isWaiting'> & { readonly waits: number }

/** The keys of registered people: those that they proved, in `person_keys`, and those that they added, in `waiting_keys`. */
export function createKeyStore({ db, read, write }: Connection): KeyStore {
  const sql = prepare(db)
  const list = (id: PersonId): readonly StoredKey[] =>
    sql.list.all({ id }).map(({ waits, ...key }) => ({ ...key, isWaiting: waits === 1 }))
  return {
    list: (id) => read(() => list(id)),
    add: (id, key, at, max) =>
      write(() => {
        const keys = list(id)
        if (keys.some(({ fingerprint }) => fingerprint === key)) return 'known'
        if (keys.length >= max) return 'full'
        sql.wait.run(id, key, at)
        return 'added'
      }),
    prove: (id, key) =>
      write(() => {
        const holders = sql.holders.all(key).map(({ person }) => person)
        if (holders.length > 0) return holders.includes(id)
        const waiting = sql.waitNoMore.get(id, key)
        if (!waiting) return false
        sql.add.run(id, key, waiting.addedAt)
        return true
      }),
    remove: (id, key) =>
      write(() => {
        const keys = list(id)
        const mine = keys.find(({ fingerprint }) => fingerprint === key)
        if (!mine) return 'unknown'
        if (mine.isWaiting) sql.waitNoMore.get(id, key)
        else if (keys.filter(({ isWaiting }) => !isWaiting).length === 1) return 'last'
        else {
          sql.remove.run(id, key)
          sql.dropTokens.run(id, key)
        }
        return 'removed'
      }),
  }
}

function prepare(db: Connection['db']) {
  return {
    list: db.prepare<[{ id: PersonId }], KeyRow>(
      `SELECT fingerprint, added_at AS addedAt, 0 AS waits FROM person_keys WHERE person = @id
       UNION ALL SELECT fingerprint, added_at, 1 FROM waiting_keys WHERE person = @id
       ORDER BY addedAt, fingerprint`,
    ),
    holders: db.prepare<[Fingerprint], { person: PersonId }>(
      'SELECT person FROM person_keys WHERE fingerprint = ?',
    ),
    wait: db.prepare<[PersonId, Fingerprint, number]>(
      'INSERT INTO waiting_keys (person, fingerprint, added_at) VALUES (?, ?, ?)',
    ),
    waitNoMore: db.prepare<[PersonId, Fingerprint], { addedAt: number }>(
      'DELETE FROM waiting_keys WHERE person = ? AND fingerprint = ? RETURNING added_at AS addedAt',
    ),
    add: db.prepare<[PersonId, Fingerprint, number]>(
      'INSERT INTO person_keys (person, fingerprint, added_at) VALUES (?, ?, ?)',
    ),
    dropTokens: db.prepare<[PersonId, Fingerprint]>('DELETE FROM tokens WHERE person = ? AND key = ?'),
    remove: db.prepare<[PersonId, Fingerprint]>(
      'DELETE FROM person_keys WHERE person = ? AND fingerprint = ?',
    ),
  }
}
