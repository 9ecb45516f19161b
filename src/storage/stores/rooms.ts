import { type Kysely, type Selectable, sql } from 'kysely'
import type { Membership, RoomRecord, RoomStore } from '../../chat/index.ts'
import { parseJson } from '../../base/json.ts'
import type { RoomName } from '../../words/entry.ts'
import { type Database, put, select, send } from '../database.ts'
import { roomLog } from '../locks.ts'
import { type PersonRow, toPerson } from './people.ts'
import type { Tables } from '../tables.ts'
import { findRenamed, HIDDEN_KEYS, renameRoom } from './room-names.ts'
import { currentMemories } from './memories.ts'
import { currentPersonas } from './personas.ts'

type RoomRow = Selectable<Omit<Tables['rooms'], 'keep_days'>>

const ROOMS = sql`SELECT name, topic, vibe, private, owner, created_at, talk FROM rooms`

export function createRoomStore({ read, writes }: Database): RoomStore {
  const { write, statement } = writes()
  return {
    all: async () => (await select({ read }, sql<RoomRow>`${ROOMS} ORDER BY name`)).map(toRoom),
    find: async (name) =>
      (await select({ read }, sql<RoomRow>`${ROOMS} WHERE name = ${name}`)).map(toRoom)[0],
    create: (record) => write((db) => addRoom(db, record)),
    fork: (from, record) =>
      write(async (db) => {
        if (!(await addRoom(db, record))) return false
        await copyRoom(db, from, record.name)
        return true
      }),
    rename: (from, to) => write((db) => renameRoom(db, from, to), roomLog(from)),
    findRenamed: (former) => read((db) => findRenamed(db, former)),
    update: (name, { topic = null, vibe = null }) =>
      statement(async (db) => {
        await sql`UPDATE rooms SET topic = coalesce(${topic}, topic), vibe = coalesce(${vibe}, vibe)
          WHERE name = ${name}`.execute(db)
      }),
    membership: (name, person) =>
      read(async (db) => {
        const { rows } = await sql<{ readonly membership: Membership }>`
          SELECT membership FROM members WHERE room = ${name} AND person = ${person}`.execute(db)
        return rows[0]?.membership
      }),
    setMembership: (name, person, membership) =>
      statement(async (db) => {
        if (membership !== null) return await putMember(db, { room: name, person, membership })
        await db.deleteFrom('members').where('room', '=', name).where('person', '=', person).execute()
      }),
    setOwner: (name, person) =>
      write(async (db) => {
        await sql`UPDATE members SET membership = 'op' WHERE room = ${name} AND membership = 'owner'`.execute(
          db,
        )
        await putMember(db, { room: name, person, membership: 'owner' })
        await db.updateTable('rooms').set({ owner: person, talk: null }).where('name', '=', name).execute()
      }),
    members: (name) =>
      read(async (db) => {
        const { rows } = await sql<PersonRow & { readonly membership: Membership }>`
          SELECT id, name, admin, membership FROM members JOIN people ON people.id = person
          WHERE room = ${name} ORDER BY name`.execute(db)
        return rows.map(({ membership, ...person }) => ({ person: toPerson(person), membership }))
      }),
    getValue: (name, key) =>
      read(async (db) => {
        const { rows } = await sql<{ readonly value: string }>`
          SELECT value FROM room_values WHERE room = ${name} AND key = ${key}`.execute(db)
        return rows[0] && parseJson(rows[0].value)
      }),
    setValue: (room, key, value) =>
      statement((db) =>
        value === undefined
          ? send(db.deleteFrom('room_values').where('room', '=', room).where('key', '=', key))
          : put(db, 'room_values', { room, key, value: JSON.stringify(value) }, 'room', 'key'),
      ),
    values: (name) =>
      read(async (db) => {
        const { rows } = await sql<{ readonly key: string; readonly value: string }>`
          SELECT key, value FROM room_values WHERE room = ${name} AND key NOT LIKE ${HIDDEN_KEYS}
          ORDER BY key`.execute(db)
        return new Map(rows.map(({ key, value }) => [key, parseJson(value)]))
      }),
  }
}

/** Copies what people set in a room, in its newest version. */
async function copyRoom(db: Kysely<Tables>, from: RoomName, to: RoomName): Promise<void> {
  await sql`INSERT INTO room_values (room, key, value)
    SELECT ${to}, key, value FROM room_values
    WHERE room = ${from} AND key NOT LIKE ${HIDDEN_KEYS}`.execute(db)
  await sql`INSERT INTO room_scripts (room, version, source, author, at)
    SELECT ${to}, 1, source, author, at FROM room_scripts
    WHERE room = ${from} ORDER BY version DESC LIMIT 1`.execute(db)
  await sql`INSERT INTO room_instructions (room, model, version, text, author, at)
    SELECT ${to}, model, 1, text, author, at FROM room_instructions AS one
    WHERE room = ${from} AND text <> '' AND version = (SELECT max(version) FROM room_instructions
      WHERE room = one.room AND model = one.model)`.execute(db)
  await sql`INSERT INTO room_personas (room, name, version, model, text, tools, author, at)
    SELECT ${to}, name, 1, model, text, tools, author, at
    FROM (${currentPersonas(from)}) AS one`.execute(db)
  await sql`INSERT INTO memories (room, number, version, text, author, person, at)
    SELECT ${to}, number, 1, text, author, person, at
    FROM (${currentMemories({ room: from })}) AS one`.execute(db)
}

async function addRoom(db: Kysely<Tables>, record: RoomRecord): Promise<boolean> {
  const { name, topic, vibe, owner, createdAt, talk = null } = record
  if ((await findRenamed(db, name)) !== undefined) return false
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('rooms')
    .values({ name, topic, vibe, private: record.private ? 1 : 0, owner, created_at: createdAt, talk })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  if (owner !== null) await putMember(db, { room: name, person: owner, membership: 'owner' })
  return true
}

const putMember = (db: Kysely<Tables>, member: Tables['members']): Promise<void> =>
  put(db, 'members', member, 'room', 'person')

const toRoom = ({ created_at, talk, ...row }: RoomRow): RoomRecord => ({
  ...row,
  private: row.private === 1,
  createdAt: created_at,
  ...(talk !== null && { talk }),
})
