import { type Kysely, type RawBuilder, sql } from 'kysely'
import { decodeTime, ulid } from 'ulid'
import { type Entry, type EntryId, isEntryKind, type RoomName } from '../../words/entry.ts'
import { StorageError } from '../../words/errors.ts'
import type { EntrySize, LogQuery } from '../../chat/index.ts'
import { type Dialect, sqlOf } from '../database.ts'
import type { Tables } from '../tables.ts'

export type EntryRow = Tables['entries']

export interface FoundRow extends EntryRow {
  /** The version whose text this is, if the query has `revised`; null if nobody edited the entry. */
  readonly edited?: EntryId | null
  /** The tokens of the text in the query's encoding; null if nobody has counted them. */
  readonly tokens?: number | null
}

export interface EntryQuery extends LogQuery {
  readonly room: RoomName
  /** Also reads the token counts in this encoding. */
  readonly encoding?: string
}

/** Selects the matching entries, newest first unless the query says otherwise. */
export function entryQuery(dialect: Dialect, query: EntryQuery): RawBuilder<FoundRow> {
  const { encoding, revised } = query
  const text = revised ? 'coalesce(revisions.text, entries.text) AS text, revision AS edited' : 'entries.text'
  const tokens = '(SELECT tokens FROM token_counts WHERE entry = entries.id AND encoding = ?) AS tokens'
  const columns = `entries.id, room, at, kind, author, ${text}, data`
  return encoding === undefined
    ? select(dialect, query, columns)
    : select(dialect, query, `${columns}, ${tokens}`, encoding)
}

/** Selects ids and bytes of the same entries. Both engines find the length of a text without reading it. */
export const sizeQuery = (dialect: Dialect, query: EntryQuery): RawBuilder<EntrySize> =>
  select(dialect, query, 'entries.id, octet_length(entries.text) + octet_length(entries.data) AS bytes')

/** Reads each kind along its index, so that only matching rows are read. `values` are for `columns`. */
function select<Row>(
  dialect: Dialect,
  query: EntryQuery,
  columns: string,
  ...values: readonly string[]
): RawBuilder<Row> {
  const { room, before, after, revised, withoutThreads, kinds } = query
  const ids = [before, after].filter((id) => id !== undefined)
  const selectFrom = (index: 'room' | 'kind') => `SELECT ${columns} FROM ${dialect.entriesBy(index)}
    ${revised ? 'LEFT JOIN revisions ON target = entries.id' : ''}
    WHERE room = ? ${index === 'kind' ? 'AND kind = ?' : ''}
    ${before === undefined ? '' : 'AND entries.id < ?'} ${after === undefined ? '' : 'AND entries.id > ?'}
    ${withoutThreads ? `AND ${dialect.fact('thread')} IS NULL` : ''} ${revised ? isLastVersion(dialect) : ''}`
  const end = `ORDER BY id ${query.oldestFirst ? 'ASC' : 'DESC'} LIMIT ?`
  const limit = limitOf(query)
  if (!kinds) return sqlOf(`${selectFrom('room')} ${end}`, [...values, room, ...ids, limit])

  // An empty list of kinds matches nothing.
  const wanted = kinds.length === 0 ? ['none'] : [...new Set(kinds)]
  const limitsParts = dialect.limitsParts && wanted.length > 1
  const limits = limitsParts ? [limit] : []
  const part = limitsParts ? `(${selectFrom('kind')} ${end})` : selectFrom('kind')
  return sqlOf(`${wanted.map(() => part).join(' UNION ALL ')} ${end}`, [
    ...wanted.flatMap((kind) => [...values, room, kind, ...ids, ...limits]),
    limit,
  ])
}

/** Omits later versions, whose text replaces the first one's, and retracted entries with their reactions. */
const isLastVersion = ({ fact }: Dialect): string => `
  AND (revision IS NULL OR revisions.text IS NOT NULL) AND ${fact('edits')} IS NULL
  AND (kind <> 'action' OR NOT EXISTS (
    SELECT 1 FROM revisions AS gone WHERE gone.target = ${fact('reacts')} AND gone.text IS NULL))`

export const inTimeOrder = <Row>(rows: readonly Row[], { oldestFirst }: LogQuery): readonly Row[] =>
  oldestFirst ? rows : rows.toReversed()

/** Returns the limit as an integer that both engines accept. */
export const limitOf = ({ limit }: Pick<LogQuery, 'limit'>): number =>
  Math.max(0, Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER))

/** With `revised`, has the last version's text and id. A kind of a newer program version becomes a notice. */
export function toEntry({ id, room, at, kind, author, text, data, edited }: FoundRow): Entry {
  if (!isEntryKind(kind)) return { id, room, at, kind: 'notice', level: 'info', author, text }
  // Skips parsing for speed: every prompt reads hundreds of rows, and most have no other data.
  const rest: object = data === '{}' ? {} : JSON.parse(data)
  const version = edited == null ? {} : { edited }
  return { ...rest, ...version, id, room, at, kind, author, text } as Entry
}

export function toEntryRow({ id, room, at, kind, author, text, ...rest }: Entry): EntryRow {
  return { id, room, at, kind, author, text, data: JSON.stringify(rest) }
}

/**
 * The id for an entry that wants `wanted`, if `last` is its room's newest: ids of a room ascend in the order
 * of appending, even if servers' clocks differ. A replacement is random in the millisecond after `last`,
 * because the server that made `last` may have made the id larger by one already.
 */
export const ascendingId = (wanted: EntryId, last: EntryId | undefined): EntryId =>
  last === undefined || wanted > last ? wanted : (ulid(decodeTime(last) + 1) as EntryId)

/** The id is stored already: the caller made a mistake, or its first attempt was stored. */
export const alreadyStored = (id: EntryId): StorageError =>
  new StorageError('other', `the database refused: the entry ${id} is stored already`)

/**
 * If this entry edits or retracts another one, stores its new version in the same transaction, and deletes
 * its token counts. Changes no entry of another room and no retracted entry.
 */
export function revise(db: Kysely<Tables>, entry: Entry): Promise<void> | undefined {
  const revision = revisionOf(entry)
  return revision && storeRevision(db, entry, revision)
}

async function storeRevision(db: Kysely<Tables>, entry: Entry, { target, text }: Revision): Promise<void> {
  await sql`
    INSERT INTO revisions (target, revision, text)
    SELECT id, ${entry.id}, cast(${text} as text) FROM entries WHERE id = ${target} AND room = ${entry.room}
    ON CONFLICT (target) DO UPDATE SET revision = excluded.revision, text = excluded.text
      WHERE revisions.text IS NOT NULL`.execute(db)
  await db.deleteFrom('token_counts').where('entry', '=', target).execute()
}

/** The changed entry and its new text; null if it is retracted. */
interface Revision {
  readonly target: EntryId
  readonly text: string | null
}

function revisionOf(entry: Entry): Revision | undefined {
  if (entry.kind === 'message' && entry.edits !== undefined) return { target: entry.edits, text: entry.text }
  if (entry.kind === 'notice' && entry.retracts !== undefined) return { target: entry.retracts, text: null }
  return undefined
}
