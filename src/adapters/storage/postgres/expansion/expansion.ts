// What a migration may do while servers of the version before run beside it. This must not know a database: it reads text.
import type { Migration } from '../../migrations.ts'
import { harmfulStep } from './functions.ts'
import { bodiesIn, statementsOf } from './reading.ts'
import { expands, ownOf } from './statements.ts'

/**
 * The schema that a program must know at least to run with this migration applied, as its first lines say: `-- Needs: 7`. 0 where
 * they say nothing: then whatever ran before it runs on.
 */
export function neededSchema({ sql }: Pick<Migration, 'sql'>): number {
  const lines = sql.split('\n')
  const end = lines.findIndex((line) => !/^\s*(?:--|$)/.test(line))
  const comments = end < 0 ? lines : lines.slice(0, end)
  return Number(comments.map((line) => /^-- Needs: (\d+)$/.exec(line.trimEnd())?.[1]).find(Boolean) ?? 0)
}

const WHAT_EXPANDS = [
  'new tables that no query fills',
  'columns of a plain type that may be left out, and their defaults',
  'indexes that are not unique, of columns with short values, of left(column, 200), md5(column) or USING HASH (column)',
  'references to keys that never change, with ON DELETE CASCADE',
  'views',
  'new functions that only read, notify and tell news, without arithmetic and casts, and AFTER triggers that run them',
  'new rows',
].join('; ')

/**
 * What is wrong with a migration for servers of the version before, which go on beside it during a deployment: it does what may take
 * something from them, and does not say since which schema nobody uses it. Undefined where nothing is. A table that it makes itself is
 * its own. What is not known to be harmless is refused.
 */
export function expansionProblem(migration: Pick<Migration, 'sql' | 'name' | 'version'>): string | undefined {
  const { sql, name, version } = migration
  if (version === 1) return undefined
  const needs = neededSchema(migration)
  if (needs >= version)
    return `${name}: it needs a schema (${needs}) that no version before it knows; write the newest that can do without what it takes away`
  const contraction = contractionIn(sql)
  if (contraction === undefined || needs > 0) return undefined
  return `${name}: "${shortened(contraction)}" may take something from servers of the version before, since it is none of these: ${WHAT_EXPANDS}. Release a version that does without it first, and then say with "-- Needs: N" which schema that version has`
}

function contractionIn(sql: string): string | undefined {
  const statements = statementsOf(sql)
  const own = ownOf(statements)
  return (
    statements.find((statement) => !expands(statement, own)) ??
    bodiesIn(sql)
      .map((steps) => harmfulStep(steps, own))
      .find((step) => step !== undefined)
  )
}

const shortened = (statement: string): string =>
  statement.length <= 60 ? statement : `${statement.slice(0, 59)}…`
