import type { EntryId, RoomName } from '../entry.ts'
import { warnOfStorage } from '../errors.ts'
import type { Person } from '../people/person.ts'
import type { Log } from '../ports.ts'
import type { LastSeenStore } from './ports.ts'

/** How far people have read the rooms. Guests read everything anew. Never rejects: nobody is kept out or in for it. */
export type LastSeen = ReturnType<typeof createLastSeen>

/** What the store refuses is logged, and not known. */
export function createLastSeen(store: LastSeenStore, log: Log) {
  return {
    /** The newest entry that was there when the person last left; undefined if that is not known. */
    async find({ id, guest }: Person, room: RoomName): Promise<EntryId | undefined> {
      if (guest) return undefined
      return await store.find(id, room).catch(warnOfStorage(log, 'how far somebody has read is not known'))
    },
    /** To be called as they leave; an empty id changes nothing. */
    async put({ id, guest }: Person, room: RoomName, entry: EntryId): Promise<void> {
      if (guest || entry === '') return
      await store.put(id, room, entry).catch(warnOfStorage(log, 'how far somebody has read was not stored'))
    },
  }
}
