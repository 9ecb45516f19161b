import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { versionOf } from './migrations.ts'

/** One right of one person. */
export interface AuditRow {
  /** A person's name. */
  readonly who: string
  /** `server`, or a room. */
  readonly where: string
  readonly may: string
  /** When it ends, in milliseconds since the epoch; null: never by itself. */
  readonly until: number | null
  /** Who gave it; null where that is not stored. */
  readonly by: string | null
}

/** Whether a ban from the server holds a person, or a key. */
const isBanned = (person: string, key: string): string => `EXISTS (
  SELECT 1 FROM sanctions AS ban WHERE ban.kind = 'ban' AND ban.room IS NULL AND (ban.until IS NULL OR ban.until > @now)
    AND (${person} IN (SELECT value FROM json_each(ban.people)) OR ${key} IN (SELECT value FROM json_each(ban.keys))))`

/**
 * Each table that gives or takes a right, as rows of who, where, may, until and by; `@now` is the time of now. A table more is an
 * entry more. They are printed in this order, and sorted within.
 */
const SECTIONS: readonly string[] = [
  `SELECT name, 'server', 'admin', NULL, NULL FROM people WHERE admin = 1 AND @now > 0`,
  `SELECT people.name, room || CASE private WHEN 1 THEN ' (private)' ELSE '' END,
     CASE membership WHEN 'invited' THEN 'invited: may join' ELSE membership END, NULL, NULL
   FROM members JOIN people ON people.id = person JOIN rooms ON rooms.name = room WHERE @now > 0`,
  `SELECT name, room, 'run ' || tool || ' without a question' || CASE target WHEN '' THEN '' ELSE ': ' || target END,
     until, "by" FROM grants WHERE until IS NULL OR until > @now`,
  `SELECT name, 'server', iif(${isBanned('person', 'fingerprint')}, 'nothing with ', 'log in with ') || fingerprint, NULL, NULL
   FROM person_keys JOIN people ON people.id = person WHERE @now > 0`,
  `SELECT name, 'server', 'log in once as ' || name || ', if nobody else does with ' || fingerprint, NULL, NULL
   FROM waiting_keys JOIN people ON people.id = person WHERE @now > 0`,
  `SELECT name, 'server', iif(${isBanned('people.id', "''")}, 'nothing', 'log in') || ' with a certificate alone', NULL, NULL
   FROM people WHERE @now > 0 AND NOT EXISTS (SELECT 1 FROM person_keys WHERE person = people.id)`,
  `SELECT 'whoever has token ' || tokens.id, coalesce(token_rooms.room, iif(scoped, 'no room', 'server')),
     iif(${isBanned('people.id', 'tokens.key')}, 'nothing while its maker is banned', 'do over HTTP what ' || people.name || ' may'),
     until, people.name
   FROM tokens JOIN people ON people.id = tokens.person LEFT JOIN token_rooms ON token_rooms.token = tokens.id WHERE until > @now`,
  `SELECT 'whoever has the code ' || invites.id, coalesce(invites.room, 'server'),
     iif(${isBanned('people.id', "''")}, 'nothing while its maker is banned', 'register, ' || uses_left || ' of ' || uses || ' times'),
     until, people.name
   FROM invites JOIN people ON people.id = invites."by" WHERE until > @now`,
  `SELECT CASE kind WHEN 'archive' THEN 'everybody' ELSE who END, coalesce(room, 'server'),
     CASE kind WHEN 'ban' THEN 'nothing: banned' WHEN 'mute' THEN 'read: muted' ELSE 'read: archived' END
       || CASE reason WHEN '' THEN '' ELSE ' (' || reason || ')' END,
     until, "by"
   FROM sanctions WHERE until IS NULL OR until > @now`,
]

/** Throws `StorageError` if the database is not of schema `version`, and what SQLite throws. */
export function rightsIn(db: Database, version: number, now: number): readonly AuditRow[] {
  if (versionOf(db) !== version)
    throw new StorageError(
      'other',
      'the database is of another version of sshawl; start this version once, and audit it then',
    )
  return db.transaction(() => SECTIONS.flatMap((select) => rowsOf(db, select, now)))()
}

const rowsOf = (db: Database, select: string, now: number): readonly AuditRow[] =>
  db
    .prepare<[{ readonly now: number }], AuditRow>(
      `WITH rights (who, "where", may, until, "by") AS (${select}) SELECT * FROM rights ORDER BY "where", may, who, until`,
    )
    .all({ now })
