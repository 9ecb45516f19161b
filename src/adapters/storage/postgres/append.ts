import type { Entry, EntryId, RoomName } from '../../../chat/entry.ts'
import type { Appended } from '../../../chat/appended.ts'
import { alreadyStored, ascendingId } from '../append.ts'
import { toRow } from '../rows/entry-row.ts'
import { revisionIn } from '../rows/revision.ts'
import type { Statements } from './statements.ts'
import { sql } from './sql.ts'
import { checkTurns } from './turns/lost-turns.ts'
import { toVector } from './search.ts'

/**
 * Appends entries within a transaction that holds the locks `logOf` of all their rooms: until it is committed, nobody else appends
 * there, so that whoever reads an entry can read all that have smaller ids in its room. Throws `StorageError` where an entry belongs
 * to a turn that another server has ended.
 */
export async function appendAll(tx: Statements, entries: readonly Entry[]): Promise<readonly Appended[]> {
  await checkTurns(tx, turnsIn(entries))
  const appended = await placesOf(tx, entries)
  const stored = entries.map((entry, at) => ({ ...entry, id: appended[at]?.id ?? entry.id }))
  await insert(tx, stored)
  await countToolCalls(tx, stored)
  for (const entry of stored) await revise(tx, entry)
  return appended
}

const turnsIn = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(entries.flatMap((entry) => ('turn' in entry && entry.turn !== undefined ? [entry.turn] : []))),
]

/** The id that each gets, behind those that are there and those before it. Throws `StorageError` if one is stored already. */
async function placesOf(tx: Statements, entries: readonly Entry[]): Promise<readonly Appended[]> {
  const rooms = [...new Set(entries.map(({ room }) => room))]
  const last = await newestIn(tx, rooms)
  const ids = entries.map(({ id }) => id)
  const known = await tx.get<{ id: EntryId }>(sql`SELECT id FROM entries WHERE id = ANY(${ids}) LIMIT 1`)
  if (known) throw alreadyStored(known.id)
  return entries.map(({ id: wanted, room }) => {
    const after = last.get(room)
    const id = ascendingId(wanted, after)
    last.set(room, id)
    return after === undefined ? { id } : { id, after }
  })
}

/** The newest entry of each of these rooms that has any. */
export async function newestIn(tx: Statements, rooms: readonly RoomName[]): Promise<Map<RoomName, EntryId>> {
  const rows = await tx.all<{ room: RoomName; id: EntryId }>(sql`
    SELECT wanted.room, newest.id FROM unnest(${rooms}::text[]) AS wanted (room)
    JOIN LATERAL (SELECT id FROM entries WHERE entries.room = wanted.room ORDER BY id DESC LIMIT 1) AS newest ON true`)
  return new Map(rows.map(({ room, id }) => [room, id]))
}

async function insert(tx: Statements, entries: readonly Entry[]): Promise<void> {
  const rows = entries.map(columnsOf)
  const all = (column: keyof EntryColumns): readonly unknown[] => rows.map((row) => row[column])
  await tx.run(sql`
    INSERT INTO entries (id, room, at, kind, author, text, data, thread, edits, reacts, not_run, words)
    SELECT * FROM unnest(${all('id')}::text[], ${all('room')}::text[], ${all('at')}::bigint[], ${all('kind')}::text[],
      ${all('author')}::text[], ${all('text')}::text[], ${all('data')}::text[], ${all('thread')}::text[],
      ${all('edits')}::text[], ${all('reacts')}::text[], ${all('not_run')}::bigint[], ${all('words')}::tsvector[])`)
}

type EntryColumns = ReturnType<typeof columnsOf>

/** All columns of an entry's row. */
export const columnsOf = (entry: Entry) => ({
  ...toRow(entry),
  thread: entry.thread ?? null,
  edits: (entry.kind === 'message' && entry.edits) || null,
  reacts: (entry.kind === 'action' && entry.reacts) || null,
  not_run: entry.kind === 'tool_call' && entry.notRun ? 1 : 0,
  words: toVector(`${entry.author}\n${entry.text}`),
})

async function countToolCalls(tx: Statements, entries: readonly Entry[]): Promise<void> {
  const calls = entries.flatMap((entry) =>
    entry.kind === 'tool_call' && entry.tool !== undefined && !entry.notRun ? [[entry.room, entry.tool]] : [],
  )
  if (calls.length === 0) return
  await tx.run(sql`
    INSERT INTO tool_calls (room, tool, calls)
    SELECT room, tool, count(*) FROM unnest(${calls.map(([room]) => room)}::text[], ${calls.map(([, tool]) => tool)}::text[])
      AS call (room, tool) GROUP BY room, tool ORDER BY room, tool
    ON CONFLICT (room, tool) DO UPDATE SET calls = tool_calls.calls + excluded.calls`)
}

/**
 * Keeps which version of an entry is the last. What was counted of the text before is forgotten. An entry of another room is not
 * revised, and what was taken back stays so.
 */
async function revise(tx: Statements, entry: Entry): Promise<void> {
  const revision = revisionIn(entry)
  if (!revision) return
  const { target, room, text } = revision
  await tx.run(sql`
    INSERT INTO revisions (target, revision, text)
    SELECT id, ${revision.revision}, ${text}::text FROM entries WHERE id = ${target} AND room = ${room}
    ON CONFLICT (target) DO UPDATE SET revision = excluded.revision, text = excluded.text
      WHERE revisions.text IS NOT NULL`)
  await tx.run(sql`DELETE FROM token_counts WHERE entry = ${target}`)
}
