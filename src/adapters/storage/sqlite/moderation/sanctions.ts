// What moderation keeps: who may not come in or speak, and the end of rooms. This folder must not know what follows from it.

import type { SanctionStore } from '../../../../chat/moderation/ports.ts'
import type { Fingerprint } from '../../../../chat/people/person.ts'
import { type PersonRow, toPerson } from '../../rows/person-row.ts'
import { type SanctionRow, toRow, toSanction } from '../../rows/sanction-row.ts'
import type { Connection } from '../connection.ts'

/** `people` and `keys` are JSON lists. */
interface SeedRow {
  readonly people: string
  readonly keys: string
  readonly except: Fingerprint | null
}

/** Bans, mutes and archives. */
export function createSanctionStore({ db, read, write }: Connection): SanctionStore {
  const sql = prepare(db)
  return {
    all: () => read(() => sql.all.all().map(toSanction)),
    put: (sanction, replaced) =>
      write(() => {
        for (const id of replaced) sql.remove.run(id)
        sql.put.run(toRow(sanction))
      }),
    remove: (ids) =>
      write(() => {
        for (const id of ids) sql.remove.run(id)
      }),
    linked: ({ people, keys, except = null }) =>
      read(() => {
        const seed = { people: JSON.stringify(people), keys: JSON.stringify(keys), except }
        return {
          people: sql.linkedPeople.all(seed).map(toPerson),
          keys: sql.linkedKeys.all(seed).map(({ fingerprint }) => fingerprint),
        }
      }),
  }
}

/** From people to their keys, and from keys to all who have them, until nobody is added. */
const LINKED = `WITH RECURSIVE linked (person, key) AS (
    SELECT value, NULL FROM json_each(@people)
    UNION SELECT NULL, value FROM json_each(@keys)
    UNION SELECT iif(linked.person IS NULL, person_keys.person, NULL),
                 iif(linked.person IS NULL, NULL, person_keys.fingerprint)
    FROM linked JOIN person_keys
      ON person_keys.person = linked.person OR (person_keys.fingerprint = linked.key AND linked.key IS NOT @except))`

function prepare(db: Connection['db']) {
  return {
    all: db.prepare<[], SanctionRow>('SELECT * FROM sanctions ORDER BY id'),
    put: db.prepare<[SanctionRow]>(
      `INSERT INTO sanctions (id, kind, room, who, people, keys, network, reason, "by", at, until)
       VALUES (@id, @kind, @room, @who, @people, @keys, @network, @reason, @by, @at, @until)`,
    ),
    remove: db.prepare<[string]>('DELETE FROM sanctions WHERE id = ?'),
    linkedPeople: db.prepare<[SeedRow], PersonRow>(
      `${LINKED} SELECT id, name, admin FROM people
       WHERE id IN (SELECT person FROM linked WHERE person IS NOT NULL) ORDER BY name`,
    ),
    linkedKeys: db.prepare<[SeedRow], { fingerprint: Fingerprint }>(
      `${LINKED} SELECT key AS fingerprint FROM linked WHERE key IS NOT NULL ORDER BY key`,
    ),
  }
}
