import type { Database, Statement } from 'better-sqlite3'
import type { EntrySize } from '../../../chat/ports.ts'
import { type CountedRow, type EntryQuery, kindsOf, limitOf } from '../rows/entry-row.ts'

/** A prepared statement, newest first where nothing else was asked for, and the values for it. */
export interface BoundQuery<Row = CountedRow> {
  readonly statement: Statement<[Record<string, unknown>], Row>
  readonly values: Record<string, unknown>
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
    limit: limitOf(query),
    encoding: query.encoding,
    before: query.before,
    after: query.after,
    ...Object.fromEntries((kindsOf(query) ?? []).map((kind, index) => [`kind${index}`, kind])),
  }
}
