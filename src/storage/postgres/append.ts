import { type Kysely, sql } from 'kysely'
import type { Entry, EntryId, RoomName } from '../../words/entry.ts'
import { StorageError } from '../../words/errors.ts'
import type { AppendResult, EntryLog } from '../../chat/index.ts'
import { createDeferred, type Deferred } from '../../base/jobs/waiting.ts'
import { roomLog } from '../locks.ts'
import { alreadyStored, ascendingId, revise, toEntryRow } from '../stores/entries.ts'
import type { Tables } from '../tables.ts'
import type { PostgresDatabase } from './database.ts'
import { isRejectedChange } from './errors.ts'
import { toTsVector } from './search.ts'
import { turnOwnership } from './turn-ownership.ts'

/** The most entries in one transaction. */
const MAX_BATCH = 500

interface WaitingEntry extends Deferred<AppendResult> {
  readonly entry: Entry
}

/** Stores all entries that wait for the previous transaction together in the next one. */
export function createAppend({ transaction, writes }: PostgresDatabase): EntryLog['append'] {
  const { serially } = writes()
  let batch: WaitingEntry[] | undefined

  async function storeBatch(waiting: readonly WaitingEntry[]): Promise<void> {
    const entries = waiting.map(({ entry }) => entry)
    const locks = entries.map(({ room }) => roomLog(room))
    try {
      const appended = await transaction((db) => appendAll(db, entries), locks)
      for (const [at, place] of appended.entries()) waiting[at]?.resolve(place)
    } catch (error) {
      // Stores them one by one, so that an entry that cannot be stored fails alone.
      if (waiting.length > 1 && isRejectedChange(error)) for (const one of waiting) await storeBatch([one])
      else for (const one of waiting) one.reject(error)
    }
  }

  function begin(): WaitingEntry[] {
    const begun: WaitingEntry[] = []
    void serially(() => {
      if (batch === begun) batch = undefined
      return storeBatch(begun)
    })
    return begun
  }

  return (entry) => {
    if (batch === undefined || batch.length >= MAX_BATCH) batch = begin()
    const waiting = { entry: structuredClone(entry), ...createDeferred<AppendResult>() }
    batch.push(waiting)
    return waiting.promise
  }
}

/**
 * Appends entries in a transaction that holds their rooms' log locks: nobody else appends there until the
 * commit, so that a reader of an entry also finds all smaller ids in its room. Throws `StorageError` if
 * another server has ended an entry's turn, or deletes or renames its room.
 */
async function appendAll(db: Kysely<Tables>, entries: readonly Entry[]): Promise<readonly AppendResult[]> {
  await turnOwnership.check(db, turnsOf(entries))
  const appended = await assignIds(db, entries)
  const stored = entries.map((entry, at) => ({ ...entry, id: appended[at]?.id ?? entry.id }))
  await insert(db, stored)
  await countToolCalls(db, stored)
  for (const entry of stored) await revise(db, entry)
  return appended
}

const turnsOf = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(entries.flatMap((entry) => ('turn' in entry && entry.turn !== undefined ? [entry.turn] : []))),
]

/** Resolves to the ids to store the entries with. Throws `StorageError` if an id is stored already. */
async function assignIds(db: Kysely<Tables>, entries: readonly Entry[]): Promise<readonly AppendResult[]> {
  const ids = entries.map(({ id }) => id)
  const rows = await lookUp(db, [...new Set(entries.map(({ room }) => room))], ids)
  const known = rows[0]?.known
  if (known) throw alreadyStored(known)
  const closing = rows.find((row) => row.isClosing)
  if (closing) throw new StorageError('other', `${closing.room} is being deleted or renamed`)
  const last = new Map(rows.map(({ room, newest }) => [room, newest]))
  return entries.map(({ id: wanted, room }) => {
    const after = last.get(room) ?? undefined
    const id = ascendingId(wanted, after)
    last.set(room, id)
    return after === undefined ? { id } : { id, after }
  })
}

interface RoomRow {
  readonly room: RoomName
  readonly newest: EntryId | null
  /** One of the wanted ids that is stored already, in any room. */
  readonly known: EntryId | null
  /** True if another server deletes or renames the room. */
  readonly isClosing: boolean
}

async function lookUp(
  db: Kysely<Tables>,
  rooms: readonly RoomName[],
  ids: readonly EntryId[],
): Promise<readonly RoomRow[]> {
  const { rows } = await sql<RoomRow>`
    SELECT room, (SELECT id FROM entries WHERE entries.room = wanted.room ORDER BY id DESC LIMIT 1) AS newest,
      (SELECT id FROM entries WHERE id = ANY(${ids}) LIMIT 1) AS known,
      EXISTS (SELECT 1 FROM rooms WHERE name = wanted.room
        AND closing_server <> current_setting('application_name')) AS "isClosing"
    FROM unnest(${rooms}::text[]) AS wanted (room)`.execute(db)
  return rows
}

export async function newestIn(
  db: Kysely<Tables>,
  rooms: readonly RoomName[],
): Promise<ReadonlyMap<RoomName, EntryId>> {
  const rows = await lookUp(db, rooms, [])
  return new Map(rows.flatMap(({ room, newest }) => (newest === null ? [] : [[room, newest]])))
}

async function insert(db: Kysely<Tables>, entries: readonly Entry[]): Promise<void> {
  const rows = entries.map((entry) => ({ ...toEntryRow(entry), ...ownColumns(entry) }))
  const all = (column: keyof (typeof rows)[number]): readonly unknown[] => rows.map((row) => row[column])
  await sql`
    INSERT INTO entries (id, room, at, kind, author, text, data, thread, edits, reacts, not_run, words)
    SELECT * FROM unnest(${all('id')}::text[], ${all('room')}::text[], ${all('at')}::bigint[],
      ${all('kind')}::text[], ${all('author')}::text[], ${all('text')}::text[], ${all('data')}::text[],
      ${all('thread')}::text[], ${all('edits')}::text[], ${all('reacts')}::text[],
      ${all('not_run')}::bigint[], ${all('words')}::tsvector[])`.execute(db)
}

/** The columns of an entry that only PostgreSQL has. */
export const ownColumns = (entry: Entry) => ({
  thread: entry.thread ?? null,
  edits: (entry.kind === 'message' && entry.edits) || null,
  reacts: (entry.kind === 'action' && entry.reacts) || null,
  not_run: entry.kind === 'tool_call' && entry.notRun ? 1 : 0,
  words: toTsVector(`${entry.author}\n${entry.text}`),
})

async function countToolCalls(db: Kysely<Tables>, entries: readonly Entry[]): Promise<void> {
  const calls = entries.flatMap((entry) =>
    entry.kind === 'tool_call' && entry.tool !== undefined && !entry.notRun ? [entry] : [],
  )
  if (calls.length === 0) return
  await sql`
    INSERT INTO tool_calls (room, tool, calls)
    SELECT room, tool, count(*)
    FROM unnest(${calls.map(({ room }) => room)}::text[], ${calls.map(({ tool }) => tool)}::text[])
      AS call (room, tool) GROUP BY room, tool ORDER BY room, tool
    ON CONFLICT (room, tool) DO UPDATE SET calls = tool_calls.calls + excluded.calls`.execute(db)
}
