import type { EntryId, RoomName } from '../../../../chat/entry.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import type { LastSeenStore, PreferenceStore, StoredPreference } from '../../../../chat/preferences/ports.ts'
import type { Connection } from '../connection.ts'

/** Rows of `preferences`. */
export function createPreferenceStore({ db, read, write }: Connection): PreferenceStore {
  const of = db.prepare<[PersonId], StoredPreference>(
    'SELECT option, value FROM preferences WHERE person = ? ORDER BY option',
  )
  const put = db.prepare<[PersonId, string, string]>(
    'INSERT INTO preferences (person, option, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const everyone = db.prepare<[string], { readonly name: string; readonly value: string }>(
    'SELECT name, value FROM preferences JOIN people ON people.id = person WHERE option = ? ORDER BY name',
  )
  return {
    of: (person) => read(() => of.all(person)),
    put: (person, { option, value }) => write(() => void put.run(person, option, value)),
    everyone: (option) => read(() => everyone.all(option)),
  }
}

/** Rows of `last_seen`. */
export function createLastSeenStore({ db, read, write }: Connection): LastSeenStore {
  const find = db.prepare<[PersonId, RoomName], { readonly entry: EntryId }>(
    'SELECT entry FROM last_seen WHERE person = ? AND room = ?',
  )
  const put = db.prepare<[PersonId, RoomName, EntryId]>(
    `INSERT INTO last_seen (person, room, entry) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET entry = excluded.entry WHERE excluded.entry > entry`,
  )
  return {
    find: (person, room) => read(() => find.get(person, room)?.entry),
    put: (person, room, entry) => write(() => void put.run(person, room, entry)),
  }
}
