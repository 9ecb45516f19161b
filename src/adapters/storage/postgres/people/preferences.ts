import type { EntryId } from '../../../../chat/entry.ts'
import type { LastSeenStore, PreferenceStore, StoredPreference } from '../../../../chat/preferences/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** Rows of `preferences`. */
export function createPreferenceStore({ read, writeQueue }: Connections): PreferenceStore {
  const writes = writeQueue()
  return {
    of: (person) =>
      read.all<StoredPreference>(
        sql`SELECT option, value FROM preferences WHERE person = ${person} ORDER BY option`,
      ),
    async put(person, { option, value }) {
      await writes.run(sql`
        INSERT INTO preferences (person, option, value) VALUES (${person}, ${option}, ${value})
        ON CONFLICT (person, option) DO UPDATE SET value = excluded.value`)
    },
    everyone: (option) =>
      read.all<{ name: string; value: string }>(sql`
        SELECT name, value FROM preferences JOIN people ON people.id = person WHERE option = ${option} ORDER BY name`),
  }
}

/** Rows of `last_seen`. */
export function createLastSeenStore({ read, writeQueue }: Connections): LastSeenStore {
  const writes = writeQueue()
  return {
    async find(person, room) {
      const row = await read.get<{ entry: EntryId }>(
        sql`SELECT entry FROM last_seen WHERE person = ${person} AND room = ${room}`,
      )
      return row?.entry
    },
    async put(person, room, entry) {
      await writes.run(sql`
        INSERT INTO last_seen (person, room, entry) VALUES (${person}, ${room}, ${entry})
        ON CONFLICT (person, room) DO UPDATE SET entry = excluded.entry WHERE excluded.entry > last_seen.entry`)
    },
  }
}
