import type { EntryId, RoomName } from '../entry.ts'
import { StorageError } from '../errors.ts'
import type { Person } from '../people/person.ts'
import { createNewestWrites } from '../newest-writes.ts'
import type { Alarm, Log } from '../ports.ts'
import type { LastSeenStore } from './ports.ts'

/** How far people have read the rooms. Guests read everything anew. Never rejects: nobody is kept out or in for it. */
export interface LastSeen {
  /** The newest entry that was there when the person last left; undefined where that is not known. */
  find(person: Person, room: RoomName): Promise<EntryId | undefined>
  /** To be called as they leave; an empty id changes nothing. Where the store refuses, it is tried again later. */
  put(person: Person, room: RoomName, entry: EntryId): Promise<void>
}

export function createLastSeen(store: LastSeenStore, alarm: Alarm, log: Log): LastSeen {
  /** By person and room. */
  const unstored = new Map<string, EntryId>()
  const writes = createNewestWrites<string>({
    what: 'how far somebody has read was not stored yet',
    onDone: (key) => unstored.delete(key),
    alarm,
    log,
  })
  return {
    async find({ id, guest }, room) {
      if (guest) return undefined
      const newest = unstored.get(`${id} ${room}`)
      if (newest !== undefined) return newest
      try {
        return await store.find(id, room)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        log.warn({ error, reason: error.reason }, 'how far somebody has read is not known')
        return undefined
      }
    },
    async put({ id, guest }, room, entry) {
      if (guest || entry === '') return
      const key = `${id} ${room}`
      unstored.set(key, entry)
      await writes.write(key, () => store.put(id, room, entry))
    },
  }
}
