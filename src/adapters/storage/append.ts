import { incrementBase32 } from 'ulid'
import type { EntryId } from '../../chat/entry.ts'
import { StorageError } from '../../chat/errors.ts'

/**
 * The id under which an entry is stored that comes with the id `wanted` into a room whose newest entry is `last`. In each room ids
 * ascend in the order of appending, whatever the clocks of the servers that make them.
 */
export function ascendingId(wanted: EntryId, last: EntryId | undefined): EntryId {
  return last === undefined || wanted > last ? wanted : (incrementBase32(last) as EntryId)
}

/** That an id is stored already: to append it again is a mistake, or a second attempt whose first one was stored. */
export const alreadyStored = (id: EntryId): StorageError =>
  new StorageError('other', `the database refused: the entry ${id} is stored already`)
