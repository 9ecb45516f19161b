import { type Kysely, sql } from 'kysely'
import type { Fingerprint, PersonId } from '../../words/person.ts'
import type { KeyStore, StoredKey } from '../../chat/people/index.ts'
import type { Database } from '../database.ts'
import { NAMES, personOf } from '../locks.ts'
import type { Tables } from '../tables.ts'

/** Stores the keys of registered people: proven keys, and added keys that nobody used yet. */
export function createKeyStore({ read, writes }: Database): KeyStore {
  const { write } = writes()
  return {
    list: (id) => read((db) => list(db, id)),
    add: (id, key, at, max) =>
      write(async (db) => {
        const keys = await list(db, id)
        if (keys.some(({ fingerprint }) => fingerprint === key)) return 'known'
        if (keys.length >= max) return 'full'
        await db.insertInto('waiting_keys').values({ person: id, fingerprint: key, added_at: at }).execute()
        return 'added'
      }, personOf(id)),
    prove: (id, key) =>
      write(
        async (db) => {
          // Several people may have added a key. It becomes the key of the first who proves it.
          const holders = db.selectFrom('person_keys').select('person').where('fingerprint', '=', key)
          const known = await holders.execute()
          if (known.length > 0) return known.some(({ person }) => person === id)
          const proved = await deleteKey(db, 'waiting_keys', id, key).returningAll().executeTakeFirst()
          if (!proved) return false
          await db.insertInto('person_keys').values(proved).execute()
          return true
        },
        NAMES,
        personOf(id),
      ),
    remove: (id, key) =>
      write(async (db) => {
        const keys = await list(db, id)
        const found = keys.find(({ fingerprint }) => fingerprint === key)
        if (!found) return 'unknown'
        if (found.isWaiting) {
          await deleteKey(db, 'waiting_keys', id, key).execute()
          return 'removed'
        }
        if (keys.filter(({ isWaiting }) => !isWaiting).length === 1) return 'last'
        await deleteKey(db, 'person_keys', id, key).execute()
        await db.deleteFrom('tokens').where('person', '=', id).where('key', '=', key).execute()
        return 'removed'
      }, personOf(id)),
  }
}

async function list(db: Kysely<Tables>, id: PersonId): Promise<readonly StoredKey[]> {
  const { rows } = await sql<Omit<StoredKey, 'isWaiting'> & { readonly waits: number }>`
    SELECT fingerprint, added_at AS "addedAt", 0 AS waits FROM person_keys WHERE person = ${id}
    UNION ALL SELECT fingerprint, added_at, 1 FROM waiting_keys WHERE person = ${id}
    ORDER BY "addedAt", fingerprint`.execute(db)
  return rows.map(({ waits, ...key }) => ({ ...key, isWaiting: waits === 1 }))
}

const deleteKey = (
  db: Kysely<Tables>,
  table: 'person_keys' | 'waiting_keys',
  id: PersonId,
  key: Fingerprint,
) => db.deleteFrom(table).where('person', '=', id).where('fingerprint', '=', key)
