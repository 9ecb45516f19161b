import type { EntryId, RoomName } from '../entry.ts'
import { StorageError } from '../errors.ts'
import type { Person } from '../people/person.ts'
import type { Log } from '../ports.ts'
import type { LastSeenStore } from './ports.ts'

/** How far people have read the rooms. Guests read everything anew. Never rejects: nobody is kept out or in for it. */
export interface LastSeen {
  /** The newest entry that was there when the person last left; undefined where that is not known. */
  find(person: Person, room: RoomName): Promise<EntryId | undefined>
  /** To be called as they leave; an empty id changes nothing. */
  put(person: Person, room: RoomName, entry: EntryId): Promise<void>
}

export function createLastSeen(store: LastSeenStore, log: Log): LastSeen {
  async function survive<T>(what: () => Promise<T>): Promise<T | undefined> {
    try {
      return await what()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, 'how far somebody has read is not known')
      return undefined
    }
  }

  return {
    find: async ({ id, guest }, room) => (guest ? undefined : await survive(() => store.find(id, room))),
    async put({ id, guest }, room, entry) {
      if (!guest && entry !== '') await survive(() => store.put(id, room, entry))
    },
  }
}
