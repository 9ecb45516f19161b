import { type Kysely, sql } from 'kysely'
import type { GrantStore } from '../../turns/approvals/index.ts'
import type { RoomName } from '../../words/entry.ts'
import type { ConnectedMcpStore, McpPinStore } from '../../tools/index.ts'
import type { ResultLimits, ResultStore } from '../../tools/results/index.ts'
import { changesRow, type Database, integer, put, requireRow, send, withoutNulls } from '../database.ts'
import { numbersOf, RESULTS } from '../locks.ts'
import type { Tables } from '../tables.ts'

export function createGrantStore({ dialect, read, writes }: Database): GrantStore {
  const { write, statement } = writes()
  return {
    put: ({ room, person, name, tool, target, until = null, by, at, routine = null }) =>
      write(async (db) => {
        await db.deleteFrom('grants').where('room', '=', room).where('until', '<=', at).execute()
        const { rows } = await sql<Tables['grants']>`
          INSERT INTO grants (room, id, person, name, tool, target, until, "by", at, routine)
          SELECT ${room}, coalesce(max(id), 0) + 1, ${person}, ${name}, ${tool}, ${target}, ${integer(until)},
            ${by}, ${integer(at)}, ${routine}
          FROM grants WHERE room = ${room}
          ON CONFLICT ${dialect.grantTarget} DO UPDATE
            SET until = excluded.until, "by" = excluded."by", at = excluded.at
          RETURNING *`.execute(db)
        return withoutNulls(requireRow(rows[0]))
      }, numbersOf(room)),
    find: ({ person, room, tool, target, at, routine }) =>
      read(async (db) => {
        const row = await validGrants(db, room, at)
          .where('person', '=', person)
          .where('tool', '=', tool)
          .where('target', '=', target)
          .where('routine', routine === undefined ? 'is' : '=', routine ?? null)
          .executeTakeFirst()
        return row && withoutNulls(row)
      }),
    list: (room, at) =>
      read(async (db) => (await validGrants(db, room, at).orderBy('id').execute()).map(withoutNulls)),
    removeOf: (routine) => statement((db) => send(db.deleteFrom('grants').where('routine', '=', routine))),
    remove: (room, id) =>
      statement((db) => changesRow(db, sql`DELETE FROM grants WHERE room = ${room} AND id = ${id}`)),
  }
}

const validGrants = (db: Kysely<Tables>, room: RoomName, at: number) =>
  db
    .selectFrom('grants')
    .selectAll()
    .where('room', '=', room)
    .where((has) => has.or([has('until', 'is', null), has('until', '>', at)]))

/** The number of a removed result is never reused. */
export function createResultStore({ read, writes }: Database): ResultStore {
  const { write } = writes()
  return {
    put: ({ room, tool, pageSize, at, text, outside = null }, limits) =>
      write(async (db) => {
        const bytes = Buffer.byteLength(text)
        await removeExcess(db, room, bytes, limits)
        const { rows } = await sql<{ last: number }>`
          INSERT INTO result_numbers (room, last) VALUES (${room}, 1)
          ON CONFLICT (room) DO UPDATE SET last = result_numbers.last + 1 RETURNING last`.execute(db)
        const fd = requireRow(rows[0]).last
        await db
          .insertInto('results')
          .values({ room, fd, tool, page_size: pageSize, at, bytes, text, outside })
          .execute()
        return fd
      }, RESULTS),
    find: (room, fd) =>
      read(async (db) => {
        const row = await db
          .selectFrom('results')
          .select(['room', 'fd', 'tool', 'page_size as pageSize', 'at', 'text', 'outside'])
          .where('room', '=', room)
          .where('fd', '=', fd)
          .executeTakeFirst()
        return row && withoutNulls(row)
      }),
  }
}

/**
 * Removes results from before `since`, then the oldest results of the room and of all rooms until `bytes`
 * more fit. Computes running sums only if they do not fit, which is rare.
 */
async function removeExcess(
  db: Kysely<Tables>,
  room: RoomName,
  bytes: number,
  { since, roomBytes, allBytes }: ResultLimits,
): Promise<void> {
  await db.deleteFrom('results').where('at', '<', since).execute()
  const { rows } = await sql<Record<'inAll' | 'inRoom', number>>`
    SELECT coalesce(sum(bytes), 0) AS "inAll",
      coalesce(sum(CASE WHEN room = ${room} THEN bytes END), 0) AS "inRoom"
    FROM results`.execute(db)
  const { inAll, inRoom } = requireRow(rows[0])
  if (inRoom + bytes > roomBytes)
    await sql`DELETE FROM results WHERE room = ${room} AND fd IN (
      SELECT fd FROM (
        SELECT fd, sum(bytes) OVER (ORDER BY fd DESC) AS newer FROM results WHERE room = ${room}
      ) AS summed WHERE newer + ${bytes} > ${roomBytes})`.execute(db)
  if (inAll + bytes > allBytes)
    await sql`DELETE FROM results WHERE (room, fd) IN (
      SELECT room, fd FROM (
        SELECT room, fd, sum(bytes) OVER (ORDER BY at DESC, room, fd DESC) AS newer FROM results
      ) AS summed WHERE newer + ${bytes} > ${allBytes})`.execute(db)
}

/** Both stores share a write queue, so that a removed MCP server leaves no definitions. */
export function createMcpStores({ dialect, writes }: Database): {
  readonly pins: McpPinStore
  readonly connected: ConnectedMcpStore
} {
  const { write, statement, inOrder } = writes()
  const forget = (db: Kysely<Tables>, server: string): Promise<void> =>
    send(db.deleteFrom('mcp_pins').where('server', '=', server))
  const pinsOf = (db: Kysely<Tables>, server: string) =>
    db.selectFrom('mcp_pins').where('server', '=', server).orderBy('tool')

  const pins: McpPinStore = {
    hashes: (server) => inOrder((db) => pinsOf(db, server).select(['tool', 'hash']).execute()),
    find: (server, tools) =>
      inOrder((db) => {
        const pins = pinsOf(db, server).select(['tool', 'hash', 'definition'])
        return pins.where('tool', 'in', dialect.list(tools)).execute()
      }),
    put: (server, definitions) =>
      write(async (db) => {
        for (const { tool, hash, definition } of definitions)
          await put(db, 'mcp_pins', { server, tool, hash, definition }, 'server', 'tool')
      }),
    forget: (server) => statement((db) => forget(db, server)),
  }

  const connected: ConnectedMcpStore = {
    all: () => inOrder((db) => db.selectFrom('mcp_servers').selectAll().orderBy('name').execute()),
    put: ({ name, entry, by, at }) =>
      statement((db) => put(db, 'mcp_servers', { name, entry, by, at }, 'name')),
    remove: (name) =>
      write(async (db) => {
        await db.deleteFrom('mcp_servers').where('name', '=', name).execute()
        await forget(db, name)
      }),
  }
  return { pins, connected }
}
