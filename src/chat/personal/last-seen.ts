import type { EntryId, RoomName } from '../entry.ts'
import { warnOfStorage } from '../errors.ts'
import type { Person } from '../people/person.ts'
import type { Log } from '../ports.ts'
import type { LastSeenStore } from './ports.ts'

/** How far registered people have read the rooms. What the store refuses is logged and not known. */
export type LastSeen = ReturnType<typeof createLastSeen>

export function createLastSeen(store: LastSeenStore, log: Log) {
  return {
    async find({ id, guest }: Person, room: RoomName): Promise<EntryId | undefined> {
      if (guest) return undefined
      return await store.find(id, room).catch(warnOfStorage(log, 'how far somebody has read is not known'))
    },
    /** To be called as they leave; an empty id changes nothing. Never rejects. */
    async put({ id, guest }: Person, room: RoomName, entry: EntryId): Promise<void> {
      if (guest || entry === '') return
      await store.put(id, room, entry).catch(warnOfStorage(log, 'how far somebody has read was not stored'))
    },
  }
}
