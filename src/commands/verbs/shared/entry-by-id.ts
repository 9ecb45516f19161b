import type { Entry, EntryId } from '../../../chat/entry.ts'
import type { LogQuery } from '../../../chat/ports.ts'
import type { Room } from '../../../chat/room.ts'

/**
 * The entry of a room with this id, whatever somebody wrote for one; revised, nothing of what was taken back. Rejects with
 * `StorageError`.
 */
export async function entryById(
  id: string,
  room: Room,
  how: Pick<LogQuery, 'revised'> = {},
): Promise<Entry | undefined> {
  // All ids have the same length, so a longer text sorts right after the entry itself.
  const [entry] = await room.history({ ...how, limit: 1, before: `${id.slice(0, 40)}0` as EntryId })
  return entry?.id === id ? entry : undefined
}
