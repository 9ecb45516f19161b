import { decodeTime, ulid } from 'ulid'
import type { EntryId } from '../../chat/entry.ts'
import { StorageError } from '../../chat/errors.ts'

/**
 * The id under which an entry is stored that comes with the id `wanted` into a room whose newest entry is `last`. In each room ids
 * ascend in the order of appending, whatever the clocks of the servers that make them. An id that is made here is of the
 * millisecond after the last one and else random: the server that made the last one may have made the next in the same millisecond,
 * which is larger by one.
 */
export function ascendingId(wanted: EntryId, last: EntryId | undefined): EntryId {
  return last === undefined || wanted > last ? wanted : (ulid(decodeTime(last) + 1) as EntryId)
}

/** That an id is stored already: to append it again is a mistake, or a second attempt whose first one was stored. */
export const alreadyStored = (id: EntryId): StorageError =>
  new StorageError('other', `the database refused: the entry ${id} is stored already`)
