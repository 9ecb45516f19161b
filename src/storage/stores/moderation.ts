import { type Kysely, sql } from 'kysely'
import type { RoomRemoval, Sanction, SanctionStore } from '../../chat/moderation/index.ts'
import { ringOption } from '../../chat/personal/index.ts'
import { type Database, send } from '../database.ts'
import { REQUESTS } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { removeRequests, oldestTurns } from './requests.ts'

export function createSanctionStore({ dialect, read, writes }: Database): SanctionStore {
  const { write, statement } = writes()
  const remove = (db: Kysely<Tables>, ids: readonly string[]): Promise<void> =>
    send(db.deleteFrom('sanctions').where('id', 'in', dialect.list(ids)))
  return {
    all: () =>
      read(async (db) =>
        (await db.selectFrom('sanctions').selectAll().orderBy('id').execute()).map(toSanction),
      ),
    put: ({ id, kind, room, who, network, reason, by, at, until, ...lists }, replaced) =>
      write(async (db) => {
        const people = JSON.stringify(lists.people)
        const keys = JSON.stringify(lists.keys)
        await remove(db, replaced)
        await db
          .insertInto('sanctions')
          .values({ id, kind, room, who, people, keys, network, reason, by, at, until })
          .execute()
      }),
    remove: (ids) => statement((db) => remove(db, ids)),
  }
}

function toSanction({ people, keys, ...row }: Tables['sanctions']): Sanction {
  const lists: Pick<Sanction, 'people' | 'keys'> = JSON.parse(`{"people":${people},"keys":${keys}}`)
  return { ...row, ...lists }
}

/** Deletes rooms; entries and turns in pieces, so that others can write meanwhile. */
export function createRoomRemoval({ dialect, writes, truncateWalSoon }: Database): RoomRemoval {
  const { write } = writes()
  return {
    removeSome: (room, limit) =>
      write(async (db) => {
        const entries = await sql`DELETE FROM entries WHERE id IN (
          SELECT id FROM entries WHERE room = ${room} ORDER BY id LIMIT ${limit})`.execute(db)
        if (entries.numAffectedRows !== 0n) return true
        const turns = await oldestTurns(db, sql`room = ${room}`)
        await removeRequests(db, dialect, turns)
        await sql`DELETE FROM turns WHERE id IN ${dialect.list(turns)}`.execute(db)
        return turns.length > 0
      }, REQUESTS),
    remove: (room) =>
      write(async (db) => {
        await db.deleteFrom('tool_calls').where('room', '=', room).execute()
        await db.deleteFrom('preferences').where('option', '=', ringOption(room)).execute()
        await db.updateTable('charges').set({ room: '' }).where('room', '=', room).execute()
        // Other rows refer to the room's row and are deleted with it, except `removals`, for `sshawl audit`.
        await db.deleteFrom('rooms').where('name', '=', room).execute()
        truncateWalSoon()
      }),
  }
}
