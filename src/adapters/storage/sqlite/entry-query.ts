import type { Database, Statement } from 'better-sqlite3'
import type { Entry } from '../../../chat/entry.ts'
import type { EntrySize, LogQuery } from '../../../chat/ports.ts'

/** A row of `entries`: what all kinds have in columns, the rest as JSON. */
export interface EntryRow extends Pick<Entry, 'id' | 'room' | 'at' | 'kind' | 'author' | 'text'> {
  readonly data: string
  /** The entry that the text is of, where a query asked for last versions; null where nobody edited it. */
  readonly edited?: string | null
}

/** A row with what its text costs in the encoding that was asked for, null where nobody has counted it. */
export interface CountedRow extends EntryRow {
  readonly tokens: number | null
}

/** What to read, as `LogQuery` says; without an encoding the `tokens` of every row are null. */
export interface EntryQuery extends LogQuery {
  readonly room: Entry['room']
  readonly encoding?: string
}

/** A prepared statement, newest first where nothing else was asked for, and the values for it. */
export interface BoundQuery<Row = CountedRow> {
  readonly statement: Statement<[Record<string, unknown>], Row>
  readonly values: Record<string, unknown>
}

/** The entry of a row: as it was appended, or with its last version's text and id where the query asked for that. */
export function toEntry({ id, room, at, kind, author, text, data, edited }: EntryRow): Entry {
  // Hundreds of rows are read for every prompt, and most have nothing in it.
  const rest: object = data === '{}' ? {} : JSON.parse(data)
  const version = edited == null ? {} : { edited }
  return { ...rest, ...version, id, room, at, kind, author, text } as Entry
}

/** Queries for whole rows. Each shape of query is prepared once. */
export const createEntryQueries = (db: Database): ((query: EntryQuery) => BoundQuery) =>
  createQueries(db, rowColumns)

/** Queries for ids and bytes alone. SQLite finds the length of a text in its row's head, without the text. */
export const createSizeQueries = (db: Database): ((query: EntryQuery) => BoundQuery<EntrySize>) =>
  createQueries(db, () => 'id, octet_length(entries.text) + octet_length(data) AS bytes')

type Columns = (query: EntryQuery) => string

function createQueries<Row>(db: Database, columns: Columns): (query: EntryQuery) => BoundQuery<Row> {
  const prepared = new Map<string, BoundQuery<Row>['statement']>()
  return (query) => {
    const sql = entrySql(query, columns(query))
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return { statement, values: entryValues(query) }
  }
}

/**
 * The newest entries of a room, or the oldest. Each kind is read along its own index and the kinds are merged, so that
 * only rows that are asked for are touched, however rare they are and however long the log is.
 */
function entrySql(query: EntryQuery, columns: string): string {
  const selects = kindsOf(query)?.map((_, index) =>
    select(query, columns, 'entries_by_kind', `AND kind = @kind${index}`),
  ) ?? [select(query, columns, 'entries_by_room', '')]
  return `${selects.join(' UNION ALL ')} ORDER BY id ${query.oldestFirst ? 'ASC' : 'DESC'} LIMIT @limit`
}

function rowColumns({ encoding, revised }: EntryQuery): string {
  const tokens = '(SELECT tokens FROM token_counts WHERE entry = entries.id AND encoding = @encoding)'
  const version = revised ? 'ifnull(revisions.text, entries.text) AS text, revision' : 'text, NULL'
  return `id, room, at, kind, author, ${version} AS edited, data, ${encoding === undefined ? 'NULL' : tokens} AS tokens`
}

/** The index is named because the planner, without statistics, takes the wrong one for a rare kind between two ids. */
function select(query: EntryQuery, columns: string, index: string, kind: string): string {
  return [
    `SELECT ${columns}`,
    `FROM entries INDEXED BY ${index}`,
    query.revised ? 'LEFT JOIN revisions ON target = id' : '',
    `WHERE room = @room ${kind}`,
    query.before === undefined ? '' : 'AND id < @before',
    query.after === undefined ? '' : 'AND id > @after',
    query.withoutThreads ? "AND json_extract(data, '$.thread') IS NULL" : '',
    query.revised ? LAST_VERSIONS : '',
  ].join(' ')
}

/** Not what was taken back, nor a reaction to that, nor a later version, which stands in the place of the first. */
const LAST_VERSIONS =
  "AND (revision IS NULL OR revisions.text IS NOT NULL) AND json_extract(data, '$.edits') IS NULL " +
  "AND (kind <> 'action' OR NOT EXISTS (SELECT 1 FROM revisions AS gone" +
  " WHERE gone.target = json_extract(data, '$.reacts') AND gone.text IS NULL))"

function entryValues(query: EntryQuery): Record<string, unknown> {
  return {
    room: query.room,
    limit: Math.max(0, Math.min(Math.floor(query.limit), Number.MAX_SAFE_INTEGER)),
    encoding: query.encoding,
    before: query.before,
    after: query.after,
    ...Object.fromEntries((kindsOf(query) ?? []).map((kind, index) => [`kind${index}`, kind])),
  }
}

/** No kinds at all is a query too: it matches nothing. */
function kindsOf({ kinds }: EntryQuery): readonly string[] | undefined {
  return kinds?.length === 0 ? ['none'] : kinds && [...new Set(kinds)]
}
