import type { RoomName } from '../../../chat/entry.ts'
import type { PersonId } from '../../../chat/people/person.ts'
import type { Membership, RoomRecord, RoomStore } from '../../../chat/ports.ts'
import type { Connection } from './connection.ts'
import { type PersonRow, toPerson } from '../rows/person-row.ts'
import { type RoomRow, toRecord, toRow } from '../rows/room-row.ts'
import { createRoomValues } from './room-values.ts'

type MemberRow = PersonRow & { readonly membership: Membership }

/** Rooms and memberships. */
export function createRoomStore(connection: Connection): RoomStore {
  const { read, write } = connection
  const sql = prepare(connection)

  function make(record: RoomRecord): boolean {
    const created = sql.insert.run(toRow(record)).changes === 1
    if (created && record.owner !== null) sql.setMembership.run(record.name, record.owner, 'owner')
    return created
  }

  return {
    ...createRoomValues(connection),
    all: () => read(() => sql.all.all().map(toRecord)),
    find: (name) =>
      read(() => {
        const row = sql.find.get(name)
        return row && toRecord(row)
      }),
    create: (record) => write(() => make(record)),
    fork: (from, record) =>
      write(() => {
        const created = make(record)
        if (created) {
          sql.copyValues.run(record.name, from)
          sql.copyScript.run(record.name, from)
        }
        return created
      }),
    update: (name, { topic = null, vibe = null }) => write(() => void sql.update.run({ name, topic, vibe })),
    membership: (name, person) => read(() => sql.membership.get(name, person)?.membership),
    setMembership: (name, person, membership) =>
      write(() => {
        if (membership === null) sql.removeMember.run(name, person)
        else sql.setMembership.run(name, person, membership)
      }),
    members: (name) =>
      read(() => sql.members.all(name).map((row) => ({ person: toPerson(row), membership: row.membership }))),
  }
}

function prepare({ db }: Connection) {
  return {
    all: db.prepare<[], RoomRow>('SELECT * FROM rooms ORDER BY name'),
    find: db.prepare<[RoomName], RoomRow>('SELECT * FROM rooms WHERE name = ?'),
    insert: db.prepare<[RoomRow]>(
      `INSERT INTO rooms (name, topic, vibe, private, owner, created_at)
       VALUES (@name, @topic, @vibe, @private, @owner, @created_at) ON CONFLICT DO NOTHING`,
    ),
    copyValues: db.prepare<[RoomName, RoomName]>(
      'INSERT INTO room_values (room, key, value) SELECT ?, key, value FROM room_values WHERE room = ?',
    ),
    copyScript: db.prepare<[RoomName, RoomName]>(
      `INSERT INTO room_scripts (room, version, source, author, at)
       SELECT ?, 1, source, author, at FROM room_scripts WHERE room = ? ORDER BY version DESC LIMIT 1`,
    ),
    update: db.prepare<[{ name: RoomName; topic: string | null; vibe: string | null }]>(
      'UPDATE rooms SET topic = ifnull(@topic, topic), vibe = ifnull(@vibe, vibe) WHERE name = @name',
    ),
    membership: db.prepare<[RoomName, PersonId], { membership: Membership }>(
      'SELECT membership FROM members WHERE room = ? AND person = ?',
    ),
    setMembership: db.prepare<[RoomName, PersonId, Membership]>(
      `INSERT INTO members (room, person, membership) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET membership = excluded.membership`,
    ),
    removeMember: db.prepare<[RoomName, PersonId]>('DELETE FROM members WHERE room = ? AND person = ?'),
    members: db.prepare<[RoomName], MemberRow>(
      `SELECT people.id, people.name, people.admin, members.membership
       FROM members JOIN people ON people.id = members.person WHERE members.room = ? ORDER BY people.name`,
    ),
  }
}
