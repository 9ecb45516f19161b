import type { Membership, RoomRecord, RoomStore } from '../../../chat/ports.ts'
import { type PersonRow, toPerson } from '../rows/person-row.ts'
import { type RoomRow, toRecord, toRow } from '../rows/room-row.ts'
import type { Connections } from './connection.ts'
import type { Statements } from './statements.ts'
import { createRoomValues } from './room-values.ts'
import { sql, type Sql } from './sql.ts'

type MemberRow = PersonRow & { readonly membership: Membership }

/** Rooms and memberships. */
export function createRoomStore(connection: Connections): RoomStore {
  const { read } = connection
  const writes = connection.writeQueue()
  return {
    ...createRoomValues(connection, writes),
    all: async () => (await read.all<RoomRow>(sql`SELECT * FROM rooms ORDER BY name`)).map(toRecord),
    async find(name) {
      const row = await read.get<RoomRow>(sql`SELECT * FROM rooms WHERE name = ${name}`)
      return row && toRecord(row)
    },
    create: (record) => writes.write((tx) => make(tx, record)),
    fork: (from, record) =>
      writes.write(async (tx) => {
        const created = await make(tx, record)
        if (created) {
          await tx.run(sql`
            INSERT INTO room_values (room, key, value)
            SELECT ${record.name}, key, value FROM room_values WHERE room = ${from}`)
          await tx.run(sql`
            INSERT INTO room_scripts (room, version, source, author, at)
            SELECT ${record.name}, 1, source, author, at FROM room_scripts
            WHERE room = ${from} ORDER BY version DESC LIMIT 1`)
        }
        return created
      }),
    async update(name, { topic = null, vibe = null }) {
      await writes.run(sql`
        UPDATE rooms SET topic = coalesce(${topic}, topic), vibe = coalesce(${vibe}, vibe) WHERE name = ${name}`)
    },
    async membership(name, person) {
      const row = await read.get<{ membership: Membership }>(
        sql`SELECT membership FROM members WHERE room = ${name} AND person = ${person}`,
      )
      return row?.membership
    },
    async setMembership(name, person, membership) {
      await writes.run(
        membership === null
          ? sql`DELETE FROM members WHERE room = ${name} AND person = ${person}`
          : enter(name, person, membership),
      )
    },
    async members(name) {
      const rows = await read.all<MemberRow>(sql`
        SELECT people.id, people.name, people.admin, members.membership
        FROM members JOIN people ON people.id = members.person WHERE members.room = ${name} ORDER BY people.name`)
      return rows.map((row) => ({ person: toPerson(row), membership: row.membership }))
    },
  }
}

async function make(tx: Statements, record: RoomRecord): Promise<boolean> {
  const { name, topic, vibe, private: isPrivate, owner, created_at } = toRow(record)
  const created = await tx.run(sql`
    INSERT INTO rooms (name, topic, vibe, private, owner, created_at)
    VALUES (${name}, ${topic}, ${vibe}, ${isPrivate}, ${owner}, ${created_at}) ON CONFLICT DO NOTHING`)
  if (created === 1 && owner !== null) await tx.run(enter(name, owner, 'owner'))
  return created === 1
}

const enter = (name: string, person: string, membership: Membership): Sql => sql`
  INSERT INTO members (room, person, membership) VALUES (${name}, ${person}, ${membership})
  ON CONFLICT (room, person) DO UPDATE SET membership = excluded.membership`
