import { StorageError } from '../../chat/errors.ts'
import type { Migration } from './migrations.ts'

/** That a database has a schema after the newest of this program. */
export const newerThan = (newest: number, version: number): StorageError =>
  new StorageError(
    'newer',
    `the database has schema ${version}, written by a newer sshawl; this one knows up to ${newest}: run the newer one, or restore a backup from before it`,
  )

/** That a migration is not any more what was applied. */
export const edited = ({ name }: Migration): StorageError =>
  new StorageError(
    'other',
    `${name}: edited after it was applied to this database; restore it and add a new migration`,
  )
