import { type Kysely, sql } from 'kysely'
import type { Appended } from '../../../chat/appended.ts'
import type { Entry, EntryId, RoomName } from '../../../chat/entry.ts'
import { StorageError } from '../../../chat/errors.ts'
import type { EntryLog } from '../../../chat/ports.ts'
import type { HeldPresence } from '../../../chat/presence/held-presence.ts'
import type { Database, Writes } from '../database.ts'
import { roomLog } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { type EntryQuery, entryQuery, inTimeOrder, sizeQuery, toEntry } from './entries.ts'
import { createLogStats } from './history.ts'

/** Stores new entries in the engine's own way, since that is most of what a busy server stores. */
export interface Appender {
  append(entry: Entry): Promise<Appended>
  /** Appends within a transaction that holds the log of the entry's room. */
  appendWithin(db: Kysely<Tables>, entry: Entry): Promise<Appended>
  /** The queue of the log: its writes come after the entries that were appended before. */
  readonly writes: Writes
}

/** The rooms' logs in the table `entries`. `search` is the engine's. */
export function createEntryLog(database: Database, appender: Appender, search: EntryLog['search']): EntryLog {
  const { dialect, read } = database
  return {
    append: appender.append,
    read: (room, wanted) =>
      read(async (db) => {
        const query: EntryQuery = { ...wanted, room }
        const { rows } = await entryQuery(dialect, query).execute(db)
        return inTimeOrder(rows.map(toEntry), wanted)
      }),
    sizes: (room, wanted) =>
      read(async (db) => {
        const { rows } = await sizeQuery(dialect, { ...wanted, room }).execute(db)
        return inTimeOrder(rows, wanted)
      }),
    search,
    stats: createLogStats(database),
    lastId: () =>
      read(async (db) => {
        const { rows } = await sql<{ id: EntryId | null }>`SELECT max(id) AS id FROM entries`.execute(db)
        return rows[0]?.id ?? undefined
      }),
    ...createHeldPresence(appender),
  }
}

/**
 * Comings and goings that wait in the table `held_presence`. Any server may sum up what all of them held. The
 * room's lock is taken for each, so that a smaller id never appears behind one that was read.
 */
function createHeldPresence({ appendWithin, writes: { write, inOrder } }: Appender): HeldPresence {
  /** The ids that were last read of each room. */
  const read = new Map<RoomName, readonly number[]>()

  const first = (db: Kysely<Tables>, room: RoomName, limit: number) =>
    db
      .selectFrom('held_presence')
      .select(['id', 'name', 'event'])
      .where('room', '=', room)
      .orderBy('id')
      .limit(Math.max(0, limit))
      .execute()

  return {
    hold: (room, { name, event }) =>
      write(
        async (db) => void (await db.insertInto('held_presence').values({ room, name, event }).execute()),
        roomLog(room),
      ),
    async held(room, limit) {
      const rows = await inOrder((db) => first(db, room, limit))
      read.set(
        room,
        rows.map(({ id }) => id),
      )
      return rows.map(({ name, event }) => ({ name, event }))
    },
    async sumUp(entry, count) {
      const { room } = entry
      const appended = await write(async (db) => {
        const ids = (await first(db, room, count)).map(({ id }) => id)
        const expected = read.get(room)?.slice(0, Math.max(0, count)) ?? ids
        if (expected.some((id, at) => id !== ids[at])) throw summedUpElsewhere()
        const last = ids.at(-1) ?? 0
        await db.deleteFrom('held_presence').where('room', '=', room).where('id', '<=', last).execute()
        return await appendWithin(db, entry)
      }, roomLog(room))
      read.delete(room)
      return appended
    },
    roomsWithHeld: async () => {
      const rows = await inOrder((db) =>
        db.selectFrom('held_presence').select('room').distinct().orderBy('room').execute(),
      )
      return rows.map(({ room }) => room)
    },
  }
}

const summedUpElsewhere = (): StorageError =>
  new StorageError('locked', 'another server told of these comings and goings at the same time; try again')
