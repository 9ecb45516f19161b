import { raw } from './sql.ts'

/** The table in which migrations are recorded. Many programs have one of this name. */
export const RECORD = 'migrations'

export const CREATE_RECORD = `CREATE TABLE migrations (
  version BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL, needs BIGINT)`

export const EXTEND_RECORD = 'ALTER TABLE migrations ADD COLUMN IF NOT EXISTS needs BIGINT'

/** Of a row of pg_class that has the name: it is ours. Its columns tell so whoever asks; its rows need a right. */
export const IS_OUR_RECORD = raw(`(relkind = 'r' AND 4 = (
  SELECT count(*) FROM pg_attribute WHERE attrelid = pg_class.oid AND NOT attisdropped
    AND attname IN ('version', 'name', 'sha256', 'applied_at')))`)
