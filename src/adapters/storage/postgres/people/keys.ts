import type { KeyStore, StoredKey } from '../../../../chat/people/ports.ts'
import type { Fingerprint, PersonId } from '../../../../chat/people/person.ts'
import type { Connections } from '../connection.ts'
import type { Statements } from '../statements.ts'
import { NAMES, personOf } from '../../locks.ts'
import { sql, type Sql } from '../sql.ts'

type KeyRow = Omit<StoredKey, 'isWaiting'> & { readonly waits: number }

/** The keys of registered people: those that they proved, in `person_keys`, and those that they added, in `waiting_keys`. */
export function createKeyStore({ read, writeQueue }: Connections): KeyStore {
  const writes = writeQueue()
  return {
    list: (id) => list(read, id),
    add: (id, key, at, max) =>
      writes.write(async (tx) => {
        const keys = await list(tx, id)
        if (keys.some(({ fingerprint }) => fingerprint === key)) return 'known'
        if (keys.length >= max) return 'full'
        await tx.run(
          sql`INSERT INTO waiting_keys (person, fingerprint, added_at) VALUES (${id}, ${key}, ${at})`,
        )
        return 'added'
      }, personOf(id)),
    // A key that waits for several people becomes that of one.
    prove: (id, key) =>
      writes.write(
        async (tx) => {
          const holders = await tx.all<{ person: PersonId }>(
            sql`SELECT person FROM person_keys WHERE fingerprint = ${key}`,
          )
          if (holders.length > 0) return holders.some(({ person }) => person === id)
          const waiting = await tx.get<{ addedAt: number }>(
            sql`${waitNoMore(id, key)} RETURNING added_at AS "addedAt"`,
          )
          if (!waiting) return false
          await tx.run(
            sql`INSERT INTO person_keys (person, fingerprint, added_at) VALUES (${id}, ${key}, ${waiting.addedAt})`,
          )
          return true
        },
        NAMES,
        personOf(id),
      ),
    remove: (id, key) =>
      writes.write(async (tx) => {
        const keys = await list(tx, id)
        const mine = keys.find(({ fingerprint }) => fingerprint === key)
        if (!mine) return 'unknown'
        if (!mine.isWaiting && keys.filter(({ isWaiting }) => !isWaiting).length === 1) return 'last'
        await tx.run(waitNoMore(id, key))
        if (mine.isWaiting) return 'removed'
        await tx.run(sql`DELETE FROM person_keys WHERE person = ${id} AND fingerprint = ${key}`)
        await tx.run(sql`DELETE FROM tokens WHERE person = ${id} AND key = ${key}`)
        return 'removed'
      }, personOf(id)),
  }
}

async function list(statements: Statements, id: PersonId): Promise<readonly StoredKey[]> {
  const rows = await statements.all<KeyRow>(sql`
    SELECT fingerprint, added_at AS "addedAt", 0 AS waits FROM person_keys WHERE person = ${id}
    UNION ALL SELECT fingerprint, added_at, 1 FROM waiting_keys WHERE person = ${id}
    ORDER BY "addedAt", fingerprint`)
  return rows.map(({ waits, ...key }) => ({ ...key, isWaiting: waits === 1 }))
}

const waitNoMore = (id: PersonId, key: Fingerprint): Sql =>
  sql`DELETE FROM waiting_keys WHERE person = ${id} AND fingerprint = ${key}`
