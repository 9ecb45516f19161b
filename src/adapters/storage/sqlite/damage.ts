import type { Database } from 'better-sqlite3'

/** Tables that every login and every room asks: they are small, and looked through at each start. */
const VITAL_TABLES = [
  'migrations',
  'people',
  'person_keys',
  'waiting_keys',
  'rooms',
  'members',
  'room_values',
  'room_scripts',
]

/** The first thing that is wrong with a whole database; undefined where nothing is. It reads every page. */
export const firstDamage = (db: Database): string | undefined => problemOf(db, 'main.integrity_check(1)')

/** The first thing that is wrong with the tables without which nobody can come in. It takes milliseconds. */
export const vitalDamage = (db: Database): string | undefined =>
  tablesOf(db)
    .filter((table) => VITAL_TABLES.includes(table))
    .map((table) => problemOf(db, `main.integrity_check(${table})`))
    .find((found) => found !== undefined)

/** Throws what SQLite throws where the list of tables itself is damaged. */
const tablesOf = (db: Database): readonly string[] =>
  db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)

/** Above what it found in pages SQLite writes which database they are of. */
const HEADING = /^\*\*\* in database .* \*\*\*\n/

function problemOf(db: Database, check: string): string | undefined {
  const found = db.pragma(check, { simple: true })
  return found === 'ok' ? undefined : String(found).replace(HEADING, '').split('\n', 1)[0]
}
