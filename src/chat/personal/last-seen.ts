import type { Clock, Log } from '../../base/environment.ts'
import type { EntryId, RoomName } from '../../words/entry.ts'
import { warnOfStorage } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { LastSeenStore, SeenRoom } from './ports.ts'

/** The most rooms that a person follows; the last visited stay. */
const MAX_FOLLOWED = 50

/** Stores how far registered people have read, and followed rooms. Logs failures; no method rejects. */
export type LastSeen = ReturnType<typeof createLastSeen>

export function createLastSeen(store: LastSeenStore, clock: Clock, log: Log) {
  const notStored = warnOfStorage(log, 'could not store how far a person has read')
  const notKnown = warnOfStorage(log, 'could not read how far a person has read')
  return {
    async find({ id, guest }: Person, room: RoomName): Promise<EntryId | undefined> {
      return guest ? undefined : await store.find(id, room).catch(notKnown)
    },
    /** The clock of the times that `put` takes. */
    now: () => clock.now(),
    /** With `at`, the time of a visit or 0, they follow the room. Without it, an empty id is ignored. */
    async put({ id, guest }: Person, room: RoomName, entry: EntryId, at?: number): Promise<void> {
      if (guest || (entry === '' && at === undefined)) return
      await store.put(id, room, entry, at).catch(notStored)
    },
    async mine({ id, guest }: Person): Promise<readonly SeenRoom[]> {
      return guest ? [] : ((await store.mine(id, MAX_FOLLOWED).catch(notKnown)) ?? [])
    },
    async drop({ id, guest }: Person, room: RoomName): Promise<void> {
      if (!guest) await store.drop(id, room).catch(notStored)
    },
  }
}
