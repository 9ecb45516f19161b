/** Implements the storage ports of other parts on SQLite and PostgreSQL. Decides nothing. */
export { copyDatabase } from './copy.ts'
export {
  type StorageOptions,
  auditDatabase,
  backupDatabase,
  checkDatabase,
  lockDirectory,
  openStorage,
  restoreDatabase,
  roomNamesIn,
} from './open.ts'
export type { Storage, Stores, Upkeep } from './storage.ts'
