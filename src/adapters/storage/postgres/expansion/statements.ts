// What a migration may do beside servers of the version before, one statement at a time.
import { callsOnlyKnown, onlyReads } from './expressions.ts'
import type { Own } from './functions.ts'

/** What is made by these statements. */
export const ownOf = (statements: readonly string[]): Own => ({
  tables: new Set(statements.flatMap((one) => NEW_TABLE.exec(one)?.[1] ?? [])),
  functions: new Set(statements.flatMap((one) => /^CREATE FUNCTION (\w+) ?\(/i.exec(one)?.[1] ?? [])),
  columns: new Set(
    statements.flatMap((one) =>
      actionsOf(one).flatMap((action) => {
        const added = NEW_COLUMN.exec(action)?.[1]
        return added === undefined ? [] : `${tableOf(one)}.${added}`
      }),
    ),
  ),
})

/** True of a statement that those servers do not notice. */
export function expands(statement: string, own: Own): boolean {
  if (holdsUpDeletion(statement, own)) return false
  const table = tableOf(statement)
  if (table === undefined) return ADDITIONS.some((adds) => adds(statement, own))
  if (/^CREATE TRIGGER /i.test(statement)) return isNewTrigger(statement, table, own)
  return own.tables.has(table) ? changesOwn(statement, own) : leavesOld(statement, table, own)
}

const NEW_TABLE = /^CREATE TABLE (\w+|"\w+") ?\(/i

type Adds = (statement: string, own: Own) => boolean

const ADDITIONS: readonly Adds[] = [
  // Not the form that a query fills, which may delete, nor one that is a part of another table.
  (one) =>
    NEW_TABLE.test(one) && !/(?<!\bGENERATED (ALWAYS|BY DEFAULT)) AS\b|\b(INHERITS|SETVAL)\b/i.test(one),
  (one) => /^(CREATE (SEQUENCE|TYPE) |COMMENT ON )/i.test(one),
  (one, own) => {
    const query = /^CREATE VIEW \w+ AS (SELECT .*)$/i.exec(one)?.[1]
    return query !== undefined && callsOnlyKnown(query, own.functions)
  },
  // What it does is looked at by itself.
  (one) => /^CREATE FUNCTION (?=.*\bLANGUAGE (sql|plpgsql)\b)(?=.* AS \$\$)/i.test(one),
  (one, own) => {
    const rows = /^INSERT INTO [\w"]+ ?(?:\([\w", ]*\) ?)?(.*)$/i.exec(one)?.[1]
    return (
      rows !== undefined &&
      !/\b(WITH|UPDATE|DELETE|MERGE|INTO)\b/i.test(rows) &&
      callsOnlyKnown(rows, own.functions)
    )
  },
]

/** The table that a statement changes, where it is there already. */
const tableOf = (statement: string): string | undefined =>
  /^(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX \S+ ON|CREATE TRIGGER .*? ON|UPDATE|DELETE FROM) (?:ONLY )?([\w."]+)/i.exec(
    statement,
  )?.[1]

/** Keys of the tables before that never change: no server gives a row another one. */
const KEPT_KEYS: ReadonlySet<string> = new Set([
  'entries.id',
  'people.id',
  'rooms.name',
  'servers.id',
  'tokens.id',
])

/** What refers to a row must not keep it from being deleted, nor from being changed. */
function holdsUpDeletion(statement: string, own: Own): boolean {
  const references = [...statement.matchAll(/\bREFERENCES (?:(\S+) ?\(([^)]*)\) ON DELETE CASCADE\b)?/gi)]
  return references.some(
    ([, table = '', key = '']) => !own.tables.has(table) && !KEPT_KEYS.has(`${table}.${key.trim()}`),
  )
}

/** It runs what is looked at here. News of news would have no end. */
function isNewTrigger(statement: string, table: string, own: Own): boolean {
  const [, condition = '', run = ''] = TRIGGER.exec(statement) ?? []
  return table !== 'news' && own.functions.has(run) && onlyReads(condition, own.functions)
}

const TRIGGER = /^CREATE TRIGGER \S+ AFTER .*? (?:WHEN \((.*)\) )?EXECUTE FUNCTION (\w+) ?\([^()]*\)$/i

const changesOwn = (statement: string, own: Own): boolean =>
  /^(UPDATE|DELETE FROM|CREATE (UNIQUE )?INDEX) /i.test(statement)
    ? /^CREATE /i.test(statement) || callsOnlyKnown(statement, own.functions)
    : actionsOf(statement).every((action) => /^(ADD|ALTER|DROP) /i.test(action))

function leavesOld(statement: string, table: string, own: Own): boolean {
  if (/^CREATE INDEX /i.test(statement)) return INDEX.test(statement)
  if (!/^ALTER /i.test(statement)) return false
  return actionsOf(statement).every((action) => expandsTable(action, table, own))
}

/** The things that an ALTER TABLE does. */
const actionsOf = (statement: string): readonly string[] =>
  (/^ALTER TABLE (?:ONLY )?\S+ (.*)/i.exec(statement)?.[1] ?? '')
    .split(/,(?![^(]*\))/)
    .map((action) => action.trim())

const TYPE = String.raw`(?:TEXT|BIGINT|INT|INTEGER|SMALLINT|BOOLEAN|TIMESTAMPTZ|DATE|BYTEA|JSONB|REAL|DOUBLE PRECISION|NUMERIC(?: ?\(\d+(?:, ?\d+)?\))?)`
const DEFAULT = String.raw`DEFAULT (?:''|-?\d+|TRUE|FALSE|now\(\)|clock_timestamp\(\)|current_setting\('application_name'\))`

/** One that those who do not know it may leave out. */
const NEW_COLUMN = new RegExp(
  String.raw`^ADD (?:COLUMN )?([\w"]+) ${TYPE}(?: COLLATE "C")?(?: NULL| NOT NULL ${DEFAULT}| ${DEFAULT}(?: NOT NULL)?)?$`,
  'i',
)

const NEW_DEFAULT = new RegExp(String.raw`^ALTER (?:COLUMN )?([\w"]+) SET ${DEFAULT}$`, 'i')

function expandsTable(action: string, table: string, own: Own): boolean {
  const column = NEW_DEFAULT.exec(action)?.[1]
  if (column !== undefined) return own.columns.has(`${table}.${column}`)
  return NEW_COLUMN.test(action) || /^ALTER (COLUMN )?\S+ DROP NOT NULL$/i.test(action)
}

/** A longer key than 2,704 bytes is refused, and the row with it. A hash has any length. */
const SHORT = String.raw`(?:id|at|\w+_at|room|person|kind|left\(\w+, \d\d?\)|left\(\w+, [12]\d\d\)|md5\(\w+\))`
const INDEX = new RegExp(
  String.raw`^CREATE INDEX \w+ ON \w+ ?(?:USING HASH ?\(\w+\)|(?:USING BTREE ?)?\(${SHORT}(?: DESC)?(?:, ${SHORT}(?: DESC)?){0,2}\))(?: WHERE \w+ IS (?:NOT )?NULL)?$`,
  'i',
)
