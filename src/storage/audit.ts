/** One right of one person, or one removal of a person's lines. */
export interface AuditRow {
  /** A person's name, or words such as `everybody`. */
  readonly who: string
  /** `server`, or a room. */
  readonly where: string
  readonly may: string
  /** The end of the right in milliseconds since the epoch; null if it has none. */
  readonly until: number | null
  /** The name of the person who gave the right; null if that is not stored. */
  readonly by: string | null
}

/**
 * One query for each table that gives or takes a right, with the columns of `AuditRow`, in printing order.
 * `at` is in ms since the epoch; `listOf` gives an engine's query for the values of a JSON list.
 */
export function rightsQueries(at: number, listOf: (list: string) => string): readonly string[] {
  const now = Math.floor(at)
  const unlessBanned = (person: string, key: string, may: string, banned = "'nothing'"): string =>
    `CASE WHEN EXISTS (SELECT 1 FROM sanctions AS ban
       WHERE ban.kind = 'ban' AND ban.room IS NULL AND (ban.until IS NULL OR ban.until > ${now})
         AND (${person} IN (${listOf('ban.people')}) OR ${key} IN (${listOf('ban.keys')})))
     THEN ${banned} ELSE ${may} END`
  const banned = "'nothing while its maker is banned'"
  return [
    `SELECT name, 'server', 'admin', NULL, NULL FROM people WHERE admin = 1`,
    `SELECT people.name, room || CASE private WHEN 1 THEN ' (private)' ELSE '' END,
       CASE membership WHEN 'invited' THEN 'invited: may join' ELSE membership END, NULL, NULL
     FROM members JOIN people ON people.id = person JOIN rooms ON rooms.name = room`,
    `SELECT name, room,
       'run ' || tool || ' without a question'
         || coalesce(' in routine ' || (SELECT number FROM routines WHERE id = routine), '')
         || CASE target WHEN '' THEN '' ELSE ': ' || target END,
       until, "by"
     FROM grants WHERE until IS NULL OR until > ${now}`,
    `SELECT name, 'server',
       ${unlessBanned('person', 'fingerprint', "'log in with '", "'nothing with '")} || fingerprint,
       NULL, NULL FROM person_keys JOIN people ON people.id = person`,
    `SELECT name, 'server', 'log in once as ' || name || ', if nobody else does with ' || fingerprint,
       NULL, NULL FROM waiting_keys JOIN people ON people.id = person`,
    `SELECT name, 'server', ${unlessBanned('people.id', "''", "'log in'")} || ' with a certificate alone',
       NULL, NULL FROM people WHERE NOT EXISTS (SELECT 1 FROM person_keys WHERE person = people.id)`,
    `SELECT 'whoever has token ' || tokens.id,
       coalesce(token_rooms.room, CASE scoped WHEN 1 THEN 'no room' ELSE 'server' END),
       ${unlessBanned('people.id', 'tokens.key', "'do over HTTP what ' || people.name || ' may'", banned)},
       until, people.name
     FROM tokens JOIN people ON people.id = tokens.person
     LEFT JOIN token_rooms ON token_rooms.token = tokens.id
     WHERE until > ${now}`,
    `SELECT 'whoever has the code ' || invites.id, coalesce(invites.room, 'server'),
       ${unlessBanned('people.id', "''", "'register, ' || uses_left || ' of ' || uses || ' times'", banned)},
       until, people.name
     FROM invites JOIN people ON people.id = invites."by" WHERE until > ${now}`,
    `SELECT CASE kind WHEN 'archive' THEN 'everybody' ELSE who END, coalesce(room, 'server'),
       CASE kind WHEN 'ban' THEN 'nothing: banned' WHEN 'mute' THEN 'read: muted' ELSE 'read: archived' END
         || CASE reason WHEN '' THEN '' ELSE ' (' || reason || ')' END,
       until, "by"
     FROM sanctions WHERE until IS NULL OR until > ${now}`,
    `SELECT people.name, coalesce(room, 'server'),
       CASE state WHEN 'active' THEN 'have' ELSE 'have later' END
         || CASE kind WHEN 'each' THEN ' lines answered by routine ' ELSE ' said by routine ' END || number
         || CASE text WHEN '' THEN '' ELSE ': ' || text END,
       until, people.name
     FROM routines JOIN people ON people.id = person WHERE state <> 'ended'`,
    `SELECT who, coalesce(room, 'server'), what, NULL, "by" FROM removals`,
  ].map(
    (select) => `WITH rights (who, "where", may, until, "by") AS (${select})
      SELECT * FROM rights ORDER BY "where", may, who, until NULLS FIRST`,
  )
}
