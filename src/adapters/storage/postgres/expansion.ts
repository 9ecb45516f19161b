import type { Migration } from '../migrations.ts'

/**
 * The schema that a program must know at least to run with this migration applied, as its first lines say: `-- Needs: 7`. 0 where
 * they say nothing: then whatever ran before it runs on.
 */
export const neededSchema = ({ sql }: Pick<Migration, 'sql'>): number =>
  Number(/^-- Needs: (\d+)$/m.exec(sql)?.[1] ?? 0)

/** What a program that does not know of it may trip over, and how people call it. */
const CONTRACTIONS: readonly (readonly [statement: RegExp, what: string])[] = [
  [/^(DROP (TABLE|VIEW|FUNCTION|TYPE|SEQUENCE)|TRUNCATE)\b/i, 'takes something away'],
  [/^ALTER TABLE .*\bDROP (?!DEFAULT|NOT NULL)/i, 'takes something away'],
  [/\bDROP DEFAULT\b/i, 'takes a default away'],
  [/\bRENAME\b/i, 'renames something'],
  [/\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/i, 'changes a type'],
  [/\bSET NOT NULL\b/i, 'wants a value where there was none'],
  [
    /\bADD (COLUMN )?(?!CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)\S+ (?!.*\bDEFAULT\b).*\bNOT NULL\b/i,
    'wants a value that older programs do not write',
  ],
  [/\bADD (CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)\b/i, 'has a rule that older programs may break'],
  [/^CREATE UNIQUE INDEX\b/i, 'has a rule that older programs may break'],
]

/**
 * What is wrong with a migration for servers of the version before, which go on beside it during a deployment: it takes something from
 * them and does not say since which schema nobody uses it. Undefined where nothing is. A table that it makes itself is its own.
 */
export function expansionProblem(migration: Pick<Migration, 'sql' | 'name' | 'version'>): string | undefined {
  const { sql, name, version } = migration
  if (version === 1) return undefined
  const needs = neededSchema(migration)
  if (needs >= version)
    return `${name}: it needs a schema (${needs}) that no version before it knows; write the newest that can do without what it takes away`
  const contraction = contractionIn(sql)
  if (contraction === undefined || needs > 0) return undefined
  return `${name}: "${contraction.statement}" ${contraction.what}: servers of the version before would fail. Release a version that does without it first, and then say with "-- Needs: N" which schema that version has`
}

function contractionIn(sql: string): { readonly statement: string; readonly what: string } | undefined {
  const statements = statementsOf(sql)
  const own = new Set(
    statements.flatMap((one) => /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/i.exec(one)?.[1] ?? []),
  )
  for (const statement of statements) {
    const table = /^(?:ALTER TABLE|CREATE UNIQUE INDEX \w+ ON) (?:ONLY )?"?(\w+)/i.exec(statement)?.[1]
    if (table !== undefined && own.has(table)) continue
    const found = CONTRACTIONS.find(([pattern]) => pattern.test(statement))
    if (found) return { statement: shortened(statement), what: found[1] }
  }
  return undefined
}

/** Without comments and without what functions do, blanks as one. */
const statementsOf = (sql: string): readonly string[] =>
  sql
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, '$$')
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

const shortened = (statement: string): string =>
  statement.length <= 60 ? statement : `${statement.slice(0, 59)}…`
