// What moderation keeps: who may not come in or speak, and the end of rooms. This folder must not know what follows from it.

import type { SanctionStore } from '../../../../chat/moderation/ports.ts'
import type { Fingerprint } from '../../../../chat/people/person.ts'
import { type PersonRow, toPerson } from '../../rows/person-row.ts'
import { type SanctionRow, toRow, toSanction } from '../../rows/sanction-row.ts'
import type { Connections } from '../connection.ts'
import { sql, type Sql } from '../sql.ts'

type Seed = Parameters<SanctionStore['linked']>[0]

/** Bans, mutes and archives. */
export function createSanctionStore({ read, writeQueue }: Connections): SanctionStore {
  const writes = writeQueue()
  const remove = (ids: readonly string[]): Sql => sql`DELETE FROM sanctions WHERE id = ANY(${ids})`
  return {
    all: async () => (await read.all<SanctionRow>(sql`SELECT * FROM sanctions ORDER BY id`)).map(toSanction),
    put: (sanction, replaced) =>
      writes.write(async (tx) => {
        const { id, kind, room, who, people, keys, network, reason, by, at, until } = toRow(sanction)
        await tx.run(remove(replaced))
        await tx.run(sql`
          INSERT INTO sanctions (id, kind, room, who, people, keys, network, reason, "by", at, until)
          VALUES (${id}, ${kind}, ${room}, ${who}, ${people}, ${keys}, ${network}, ${reason}, ${by}, ${at}, ${until})`)
      }),
    async remove(ids) {
      await writes.run(remove(ids))
    },
    async linked(seed) {
      const people = await read.all<PersonRow>(sql`
        ${linked(seed)} SELECT id, name, admin FROM people
        WHERE id IN (SELECT person FROM linked WHERE person IS NOT NULL) ORDER BY name`)
      const keys = await read.all<{ fingerprint: Fingerprint }>(
        sql`${linked(seed)} SELECT key AS fingerprint FROM linked WHERE key IS NOT NULL ORDER BY key`,
      )
      return { people: people.map(toPerson), keys: keys.map(({ fingerprint }) => fingerprint) }
    },
  }
}

/** From people to their keys, and from keys to all who have them, until nobody is added. */
const linked = ({ people, keys, except }: Seed): Sql => sql`
  WITH RECURSIVE linked (person, key) AS (
    SELECT person, NULL::text COLLATE "C" FROM unnest(${people}::text[] COLLATE "C") AS person
    UNION SELECT NULL, key FROM unnest(${keys}::text[] COLLATE "C") AS key
    UNION SELECT CASE WHEN linked.person IS NULL THEN person_keys.person END,
                 CASE WHEN linked.person IS NOT NULL THEN person_keys.fingerprint END
    FROM linked JOIN person_keys ON person_keys.person = linked.person
      OR (person_keys.fingerprint = linked.key AND linked.key IS DISTINCT FROM ${except}))`
