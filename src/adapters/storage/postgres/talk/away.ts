// What people do beside what was said, in the database: messages to one person, who ignores whom, who is away, and what they typed
// for themselves. It must not know when a message is shown.

import type { AwayStore, StoredAbsence } from '../../../../chat/talk/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** Rows of `away`. */
export function createAwayStore({ read, writeQueue }: Connections): AwayStore {
  const writes = writeQueue()
  return {
    away: () => read.all<StoredAbsence>(sql`SELECT person, text FROM away ORDER BY at, person`),
    async leave({ person, text }, at) {
      await writes.run(sql`
        INSERT INTO away (person, text, at) VALUES (${person}, ${text}, ${at})
        ON CONFLICT (person) DO UPDATE SET text = excluded.text, at = excluded.at`)
    },
    async comeBack(person) {
      await writes.run(sql`DELETE FROM away WHERE person = ${person}`)
    },
  }
}
