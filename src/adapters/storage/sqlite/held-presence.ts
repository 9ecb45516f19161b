import type { RoomName } from '../../../chat/entry.ts'
import type { HeldPresence, PresenceChange } from '../../../chat/presence/held-presence.ts'
import type { Connection } from './connection.ts'
import { entryInserter } from './entry-log.ts'

/** Comings and goings that wait in the table `held_presence`. */
export function createHeldPresence({ db, write }: Connection): HeldPresence {
  const insert = entryInserter(db)
  const hold = db.prepare<[{ room: RoomName } & PresenceChange]>(
    'INSERT INTO held_presence (room, name, event) VALUES (@room, @name, @event)',
  )
  const held = db.prepare<[RoomName, number], PresenceChange>(
    'SELECT name, event FROM held_presence WHERE room = ? ORDER BY id LIMIT ?',
  )
  const forget = db.prepare<[RoomName, number]>(
    'DELETE FROM held_presence WHERE id IN (SELECT id FROM held_presence WHERE room = ? ORDER BY id LIMIT ?)',
  )
  const rooms = db.prepare<[], { room: RoomName }>('SELECT DISTINCT room FROM held_presence ORDER BY room')
  return {
    hold: (room, { name, event }) => write(() => void hold.run({ room, name, event })),
    // Reading takes its turn among the writes, so that it finds what was held in the same tick.
    held: (room, limit) => write(() => held.all(room, Math.max(0, limit))),
    sumUp: (entry, count) =>
      write(() => {
        const appended = insert(entry)
        forget.run(entry.room, Math.max(0, count))
        return appended
      }),
    roomsWithHeld: () => write(() => rooms.all().map(({ room }) => room)),
  }
}
