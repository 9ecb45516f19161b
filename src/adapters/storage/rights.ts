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

/** The values of a JSON list, as a query of one engine. */
type ListedBy = (list: string) => string

/** Whether a ban from the server holds a person, or a key. */
const isBanned = (person: string, key: string, now: number, listed: ListedBy): string => `EXISTS (
  SELECT 1 FROM sanctions AS ban WHERE ban.kind = 'ban' AND ban.room IS NULL AND (ban.until IS NULL OR ban.until > ${now})
    AND (${person} IN (${listed('ban.people')}) OR ${key} IN (${listed('ban.keys')})))`

const either = (condition: string, yes: string, no: string): string =>
  `CASE WHEN ${condition} THEN ${yes} ELSE ${no} END`

/**
 * A query of all rights for each table that gives or takes one, with the columns of `AuditRow`; they are printed in this order. `now`
 * is in milliseconds since the epoch. A table more is an entry more.
 */
export function rightsQueries(at: number, listed: ListedBy): readonly string[] {
  const now = Math.floor(at)
  const banned = (person: string, key: string): string => isBanned(person, key, now, listed)
  return [
    `SELECT name, 'server', 'admin', NULL, NULL FROM people WHERE admin = 1`,
    `SELECT people.name, room || CASE private WHEN 1 THEN ' (private)' ELSE '' END,
       CASE membership WHEN 'invited' THEN 'invited: may join' ELSE membership END, NULL, NULL
     FROM members JOIN people ON people.id = person JOIN rooms ON rooms.name = room`,
    `SELECT name, room, 'run ' || tool || ' without a question' || CASE target WHEN '' THEN '' ELSE ': ' || target END,
       until, "by" FROM grants WHERE until IS NULL OR until > ${now}`,
    `SELECT name, 'server', ${either(banned('person', 'fingerprint'), "'nothing with '", "'log in with '")} || fingerprint,
       NULL, NULL
     FROM person_keys JOIN people ON people.id = person`,
    `SELECT name, 'server', 'log in once as ' || name || ', if nobody else does with ' || fingerprint, NULL, NULL
     FROM waiting_keys JOIN people ON people.id = person`,
    `SELECT name, 'server', ${either(banned('people.id', "''"), "'nothing'", "'log in'")} || ' with a certificate alone',
       NULL, NULL
     FROM people WHERE NOT EXISTS (SELECT 1 FROM person_keys WHERE person = people.id)`,
    `SELECT 'whoever has token ' || tokens.id, coalesce(token_rooms.room, CASE scoped WHEN 1 THEN 'no room' ELSE 'server' END),
       ${either(banned('people.id', 'tokens.key'), "'nothing while its maker is banned'", "'do over HTTP what ' || people.name || ' may'")},
       until, people.name
     FROM tokens JOIN people ON people.id = tokens.person LEFT JOIN token_rooms ON token_rooms.token = tokens.id
     WHERE until > ${now}`,
    `SELECT 'whoever has the code ' || invites.id, coalesce(invites.room, 'server'),
       ${either(banned('people.id', "''"), "'nothing while its maker is banned'", "'register, ' || uses_left || ' of ' || uses || ' times'")},
       until, people.name
     FROM invites JOIN people ON people.id = invites."by" WHERE until > ${now}`,
    `SELECT CASE kind WHEN 'archive' THEN 'everybody' ELSE who END, coalesce(room, 'server'),
       CASE kind WHEN 'ban' THEN 'nothing: banned' WHEN 'mute' THEN 'read: muted' ELSE 'read: archived' END
         || CASE reason WHEN '' THEN '' ELSE ' (' || reason || ')' END,
       until, "by"
     FROM sanctions WHERE until IS NULL OR until > ${now}`,
  ].map(
    (select) => `WITH rights (who, "where", may, until, "by") AS (${select})
      SELECT * FROM rights ORDER BY "where", may, who, until NULLS FIRST`,
  )
}

/** Said of a database with another schema. */
export const OTHER_VERSION =
  'the database is of another version of sshawl; start this version once, and try again then'
