import { type Kysely, sql } from 'kysely'
import type { RoomName } from '../../../chat/entry.ts'
import type { Membership, RoomRecord, RoomStore } from '../../../chat/ports.ts'
import { parseJson } from '../../../lib/json.ts'
import { type Database, put, send } from '../database.ts'
import { roomLog } from '../locks.ts'
import { type PersonRow, toPerson } from './people.ts'
import type { Tables } from '../tables.ts'
import { findRenamed, HIDDEN_KEYS, renameRoom } from './room-names.ts'

const COLUMNS = ['name', 'topic', 'vibe', 'private', 'owner', 'created_at'] as const

/** Rooms, their members and their key-values. */
export function createRoomStore({ read, writes }: Database): RoomStore {
  const { write, statement } = writes()
  return {
    all: () =>
      read(async (db) =>
        (await db.selectFrom('rooms').select(COLUMNS).orderBy('name').execute()).map(toRoom),
      ),
    find: (name) =>
      read(async (db) => {
        const row = await db.selectFrom('rooms').select(COLUMNS).where('name', '=', name).executeTakeFirst()
        return row && toRoom(row)
      }),
    create: (record) => write((db) => addRoom(db, record)),
    fork: (from, record) =>
      write(async (db) => {
        if (!(await addRoom(db, record))) return false
        await sql`INSERT INTO room_values (room, key, value)
          SELECT ${record.name}, key, value FROM room_values
          WHERE room = ${from} AND key NOT LIKE ${HIDDEN_KEYS}`.execute(db)
        await sql`INSERT INTO room_scripts (room, version, source, author, at)
          SELECT ${record.name}, 1, source, author, at FROM room_scripts
          WHERE room = ${from} ORDER BY version DESC LIMIT 1`.execute(db)
        await sql`INSERT INTO room_instructions (room, model, version, text, author, at)
          SELECT ${record.name}, model, 1, text, author, at FROM room_instructions AS one
          WHERE room = ${from} AND text <> '' AND version = (SELECT max(version) FROM room_instructions
            WHERE room = one.room AND model = one.model)`.execute(db)
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
        const query = db.selectFrom('members').select('membership')
        const row = await query.where('room', '=', name).where('person', '=', person).executeTakeFirst()
        return row?.membership
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
        await db.updateTable('rooms').set({ owner: person }).where('name', '=', name).execute()
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
        const row = await valuesOf(db, name).where('key', '=', key).executeTakeFirst()
        return row && parseJson(row.value)
      }),
    setValue: (room, key, value) =>
      statement((db) =>
        value === undefined
          ? send(db.deleteFrom('room_values').where('room', '=', room).where('key', '=', key))
          : put(db, 'room_values', { room, key, value: JSON.stringify(value) }, 'room', 'key'),
      ),
    values: (name) =>
      read(async (db) => {
        const values = valuesOf(db, name).where('key', 'not like', HIDDEN_KEYS)
        const rows = await values.orderBy('key').execute()
        return new Map(rows.map(({ key, value }) => [key, parseJson(value)]))
      }),
  }
}

/** Adds a room with its owner. False, and nothing done, if the name is taken. */
async function addRoom(db: Kysely<Tables>, record: RoomRecord): Promise<boolean> {
  const { name, topic, vibe, owner, createdAt } = record
  if ((await findRenamed(db, name)) !== undefined) return false
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('rooms')
    .values({ name, topic, vibe, private: record.private ? 1 : 0, owner, created_at: createdAt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  if (owner !== null) await putMember(db, { room: name, person: owner, membership: 'owner' })
  return true
}

const putMember = (db: Kysely<Tables>, member: Tables['members']): Promise<void> =>
  put(db, 'members', member, 'room', 'person')

const toRoom = ({ created_at, ...row }: Pick<Tables['rooms'], (typeof COLUMNS)[number]>): RoomRecord => ({
  ...row,
  private: row.private === 1,
  createdAt: created_at,
})

const valuesOf = (db: Kysely<Tables>, room: RoomName) =>
  db.selectFrom('room_values').select(['key', 'value']).where('room', '=', room)
