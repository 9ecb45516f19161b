import type { Ignored, IgnoredStore } from '../../../../chat/talk/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** The keys of whom a row is about; the same key may be both of these. */
const KEYS = sql`
  SELECT fingerprint FROM person_keys WHERE person = other UNION SELECT ignored.key WHERE ignored.key IS NOT NULL`

/** Who ignores whom. */
export function createIgnoredStore({ read, writeQueue }: Connections): IgnoredStore {
  const writes = writeQueue()
  return {
    ignoredBy: (person) =>
      read.all<Ignored>(sql`
        SELECT other AS id, coalesce(people.name, ignored.name) AS name, ignored.name AS "nameThen",
          ARRAY(${KEYS}) AS keys,
          coalesce((SELECT json_agg(json_build_object('id', same.id, 'name', same.name)) FROM people AS same
            WHERE same.id <> other
              AND same.id IN (SELECT person FROM person_keys WHERE fingerprint IN (${KEYS}))), '[]') AS "sameKey"
        FROM ignored LEFT JOIN people ON people.id = other WHERE person = ${person} ORDER BY 2, other`),
    async add(person, { id, name }, key) {
      await writes.run(sql`
        INSERT INTO ignored (person, other, name, key) VALUES (${person}, ${id}, ${name}, ${key ?? null})
        ON CONFLICT DO NOTHING`)
    },
    async remove(person, other) {
      await writes.run(sql`DELETE FROM ignored WHERE person = ${person} AND other = ${other}`)
    },
  }
}
