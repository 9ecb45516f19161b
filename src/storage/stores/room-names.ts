import { type Kysely, sql } from 'kysely'
import type { RoomName } from '../../words/entry.ts'
import { type RenamedRoom, renameInExits } from '../../chat/index.ts'
import { ringOption } from '../../chat/personal/index.ts'
import { EXITS_KEY } from '../../words/room-keys.ts'
import { parseJson } from '../../base/json.ts'
import type { Tables } from '../tables.ts'

/** The tables that name a room in a column `room`, in any order. A test compares them with the schema. */
export const TABLES_OF_ROOMS = [
  'members',
  'room_values',
  'room_scripts',
  'room_summaries',
  'summary_drafts',
  'entries',
  'tool_calls',
  'held_presence',
  'turns',
  'charges',
  'grants',
  'results',
  'result_numbers',
  'sanctions',
  'invites',
  'token_rooms',
  'untold_invitations',
  'last_seen',
  'removals',
  'room_instructions',
  'room_personas',
  'memories',
  'memory_rooms',
  'routines',
] as const

/** Begins the keys of former names; the values mean nothing. Keys of people and scripts have no colon. */
export const FORMER_KEY = 'formerly:'

export const FORMER_KEYS = `${FORMER_KEY}%`

/** A LIKE pattern for keys that only the server uses, which are never shown and not copied by a fork. */
export const HIDDEN_KEYS = '%:%'

const MAX_FORMER_NAMES = 8

/** Finds the room that had this name before. Scans all rooms. */
export async function findRenamed(db: Kysely<Tables>, former: string): Promise<RoomName | undefined> {
  const { rows } = await sql<{ name: RoomName }>`SELECT name FROM rooms WHERE EXISTS (
    SELECT 1 FROM room_values WHERE room = rooms.name AND key = ${FORMER_KEY + former})`.execute(db)
  return rows[0]?.name
}

/** Renames a room in all tables. The caller ensures that nobody writes in the room meanwhile. */
export async function renameRoom(db: Kysely<Tables>, from: RoomName, to: RoomName): Promise<RenamedRoom> {
  const holder = await findRenamed(db, to)
  if (holder !== undefined && holder !== from) return 'taken'
  const values = db.selectFrom('room_values').select('key').where('room', '=', from)
  const former = await values
    .where('key', 'like', FORMER_KEYS)
    .where('key', '!=', FORMER_KEY + to)
    .execute()
  if (former.length >= MAX_FORMER_NAMES) return 'full'
  // Foreign keys refer to the room's row, so the row with the new name must exist first.
  const { numAffectedRows } = await sql`
    INSERT INTO rooms (name, topic, vibe, private, owner, created_at, keep_days, talk)
    SELECT ${to}, topic, vibe, private, owner, created_at, keep_days, talk FROM rooms WHERE name = ${from}
    ON CONFLICT (name) DO NOTHING`.execute(db)
  if (numAffectedRows !== 1n) return 'taken'
  for (const table of TABLES_OF_ROOMS)
    await sql`UPDATE ${sql.table(table)} SET room = ${to} WHERE room = ${from}`.execute(db)
  await sql`UPDATE preferences SET option = ${ringOption(to)} WHERE option = ${ringOption(from)}`.execute(db)
  await db.deleteFrom('rooms').where('name', '=', from).execute()
  await db
    .deleteFrom('room_values')
    .where('room', '=', to)
    .where('key', '=', FORMER_KEY + to)
    .execute()
  await db
    .insertInto('room_values')
    .values({ room: to, key: FORMER_KEY + from, value: 'true' })
    .execute()
  await renameExits(db, from, to)
  return 'renamed'
}

async function renameExits(db: Kysely<Tables>, from: RoomName, to: RoomName): Promise<void> {
  const exits = db.selectFrom('room_values').select(['room', 'value']).where('key', '=', EXITS_KEY)
  for (const { room, value } of await exits.where('value', 'like', `%"${from}"%`).execute()) {
    const renamed = JSON.stringify(renameInExits(parseJson(value), from, to))
    const row = db.updateTable('room_values').where('room', '=', room).where('key', '=', EXITS_KEY)
    await row.set({ value: renamed }).execute()
  }
}
