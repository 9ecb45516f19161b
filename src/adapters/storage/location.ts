import { StorageError } from '../../chat/errors.ts'

/** Whether a database is PostgreSQL's, and not a file. */
export const isUrl = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** What to use instead of `sshawl backup`. */
export const useDump = (): StorageError =>
  new StorageError(
    'other',
    'the rooms are in PostgreSQL: back them up with pg_dump --format=custom --file=FILE URL, also while servers run',
  )

/** What to use instead of `sshawl restore`. */
export const useRestore = (): StorageError =>
  new StorageError(
    'other',
    'the rooms are in PostgreSQL: stop all servers and restore a dump with pg_restore --clean --dbname=URL FILE; a file of SQLite goes into an empty database with sshawl copy',
  )
