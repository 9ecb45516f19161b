import type { EntrySize } from '../../../chat/ports.ts'
import { type CountedRow, type EntryQuery, kindsOf, limitOf } from '../rows/entry-row.ts'
import type { Statements } from './statements.ts'
import { joined, raw, sql, type Sql } from './sql.ts'

/** The rows that a query asks for, newest first where nothing else was asked for. */
export const rowsOf = (statements: Statements, query: EntryQuery): Promise<readonly CountedRow[]> =>
  statements.all(entrySql(query, rowColumns(query)))

/** Their ids and bytes. PostgreSQL finds the length of a text without the text. */
export const sizesOf = (statements: Statements, query: EntryQuery): Promise<readonly EntrySize[]> =>
  statements.all(
    entrySql(query, sql`entries.id, octet_length(entries.text) + octet_length(entries.data) AS bytes`),
  )

/**
 * As `rowsOf`, until the rows taken hold more than `maxTokens`. Of texts that nobody has counted, fewer tokens are assumed than any
 * real text has.
 */
export const rowsWithin = (
  statements: Statements,
  query: EntryQuery,
  maxTokens: number,
): Promise<readonly CountedRow[]> =>
  statements.all(sql`
    SELECT id, room, at, kind, author, text, edited, data, tokens FROM (
      SELECT *, coalesce(sum(coalesce(tokens, octet_length(text) / 8.0)) OVER (
        ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS newer
      FROM (${entrySql(query, rowColumns(query))}) AS found
    ) AS summed WHERE newer <= ${maxTokens} ORDER BY id DESC`)

/**
 * Each kind is read along its own index and the kinds are merged, so that only rows that are asked for are touched, however rare
 * they are and however long the log is.
 */
function entrySql(query: EntryQuery, columns: Sql): Sql {
  const order = raw(query.oldestFirst ? 'ASC' : 'DESC')
  const limit = limitOf(query)
  const selects = kindsOf(query)?.map((kind) => select(query, columns, sql`AND kind = ${kind}`)) ?? [
    select(query, columns, sql``),
  ]
  const limited = selects.map((one) => sql`${one} ORDER BY id ${order} LIMIT ${limit}`)
  const [only = sql``, ...others] = limited
  if (others.length === 0) return only
  return sql`(${joined(limited, ') UNION ALL (')}) ORDER BY id ${order} LIMIT ${limit}`
}

function rowColumns({ encoding, revised }: EntryQuery): Sql {
  const tokens =
    encoding === undefined
      ? sql`NULL::bigint`
      : sql`(SELECT tokens FROM token_counts WHERE entry = entries.id AND encoding = ${encoding})`
  const version = revised
    ? sql`coalesce(revisions.text, entries.text) AS text, revision AS edited`
    : sql`entries.text, NULL AS edited`
  return sql`entries.id, room, at, kind, author, ${version}, data, ${tokens} AS tokens`
}

function select(query: EntryQuery, columns: Sql, kind: Sql): Sql {
  const { room, before, after, revised, withoutThreads } = query
  return joined(
    [
      sql`SELECT ${columns} FROM entries`,
      revised ? sql`LEFT JOIN revisions ON target = entries.id` : sql``,
      sql`WHERE room = ${room} ${kind}`,
      before === undefined ? sql`` : sql`AND entries.id < ${before}`,
      after === undefined ? sql`` : sql`AND entries.id > ${after}`,
      withoutThreads ? sql`AND thread IS NULL` : sql``,
      revised ? LAST_VERSIONS : sql``,
    ],
    ' ',
  )
}

/** Not what was taken back, nor a reaction to that, nor a later version, which stands in the place of the first. */
const LAST_VERSIONS = sql`AND (revision IS NULL OR revisions.text IS NOT NULL) AND edits IS NULL
  AND (kind <> 'action' OR NOT EXISTS (
    SELECT 1 FROM revisions AS gone WHERE gone.target = entries.reacts AND gone.text IS NULL))`
