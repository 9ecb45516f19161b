import type { Migration } from '../migrations.ts'

/**
 * The schema that a program must know at least to run with this migration applied, as its first lines say: `-- Needs: 7`. 0 where
 * they say nothing: then whatever ran before it runs on.
 */
export const neededSchema = ({ sql }: Pick<Migration, 'sql'>): number =>
  Number(/^-- Needs: (\d+)$/m.exec(sql)?.[1] ?? 0)

/** What servers of the version before do not notice. All else must say what it needs. */
const EXPANSIONS: readonly RegExp[] = [
  // What refers to a row must not keep it from being deleted.
  /^CREATE TABLE (?!.*\bREFERENCES (?!\S+ ?\([^)]*\) ON DELETE (CASCADE|SET)\b))/i,
  /^CREATE (SEQUENCE|TYPE|VIEW|INDEX) /i,
  // What it does is looked at by itself.
  /^CREATE FUNCTION (?=.*\bLANGUAGE (sql|plpgsql)\b)(?=.* AS \$\$)/i,
  /^CREATE TRIGGER \S+ AFTER /i,
  /^COMMENT ON /i,
  /^INSERT INTO (?!.*\b(UPDATE|DELETE)\b)/i,
]

/** The same, of one of the things that an ALTER TABLE does. */
const EXPANDING_ACTIONS: readonly RegExp[] = [
  /^ADD (COLUMN )?(?!CONSTRAINT\b|CHECK\b|UNIQUE\b|PRIMARY\b|FOREIGN\b|EXCLUDE\b)(?!.*\b(UNIQUE|PRIMARY|REFERENCES|CHECK)\b)(?=.*\bDEFAULT\b|(?!.*\bNOT NULL\b))/i,
  /^ALTER (COLUMN )?\S+ (SET DEFAULT\b|DROP NOT NULL$)/i,
]

/**
 * The same, of one of the things that a function does. It is run by servers that do not know it, through a trigger, and by rows that are
 * inserted: one that raises, or changes what is there, keeps them from their work.
 */
const HARMLESS_STEPS: readonly RegExp[] = [
  /^(SELECT|PERFORM|RETURN(?! QUERY\b)|RETURN QUERY SELECT) /i,
  /^INSERT INTO (?!.*\b(UPDATE|DELETE)\b)/i,
  /^EXECUTE format\('SELECT'/i,
  /^DECLARE \w+ [\w%]+( := coalesce\([^()]*\))?$/i,
  /^END( IF)?$/i,
]

/** What may stand before such a step. */
const STEP_BEGINS = /^(?:(?:BEGIN|ELSE|IF [^()]*? THEN) )+/i

const WHAT_EXPANDS =
  'new tables, columns that may be left out, indexes that are not unique, new functions that only read, insert and notify, views, AFTER triggers, new rows'

/**
 * What is wrong with a migration for servers of the version before, which go on beside it during a deployment: it does what may take
 * something from them, and does not say since which schema nobody uses it. Undefined where nothing is. A table that it makes itself is
 * its own.
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
  const own = new Set(statements.flatMap((one) => /^CREATE TABLE (?!IF )([\w."]+)/i.exec(one)?.[1] ?? []))
  const isOwn = (statement: string): boolean => own.has(tableOf(statement) ?? '')
  return (
    statements.find((statement) => !isOwn(statement) && !expands(statement)) ??
    stepsIn(sql).find((step) => !isOwn(step) && !HARMLESS_STEPS.some((one) => one.test(step)))
  )
}

/** What the functions in it do, each thing by itself. */
const stepsIn = (sql: string): readonly string[] =>
  [...sql.matchAll(UNREAD)]
    .filter(([part]) => part.startsWith('$'))
    .flatMap(([part]) => statementsOf(part.replaceAll(/^\$\w*\$|\$\w*\$$/g, '')))
    .map((statement) => statement.replace(STEP_BEGINS, ''))

/** The table that a statement changes, where it is there already. */
const tableOf = (statement: string): string | undefined =>
  /^(?:ALTER TABLE|CREATE UNIQUE INDEX \S+ ON|CREATE TRIGGER .*? ON|UPDATE|DELETE FROM) (?:ONLY )?([\w."]+)/i.exec(
    statement,
  )?.[1]

function expands(statement: string): boolean {
  const actions = /^ALTER TABLE (?:ONLY )?\S+ (.*)/i.exec(statement)?.[1]
  if (actions === undefined) return EXPANSIONS.some((one) => one.test(statement))
  return actions
    .split(/,(?![^(]*\))/)
    .every((action) => EXPANDING_ACTIONS.some((one) => one.test(action.trim())))
}

/** Comments, and what is quoted: texts, what functions do, names. */
const UNREAD = /--.*|\/\*[^]*?\*\/|\$(\w*)\$[^]*?\$\1\$|\bE'(?:[^\\']|\\.|'')*'|'(?:[^']|'')*'|"[^"]*"/gi

/** Without comments and without what stands in texts and functions, blanks as one. */
const statementsOf = (sql: string): readonly string[] =>
  sql
    .replaceAll(UNREAD, emptied)
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

/** A text that is run says what it does by its first word. */
function emptied(part: string): string {
  if (/^(--|\/\*)/.test(part)) return ' '
  if (part.startsWith('"')) return part
  if (part.startsWith('$')) return '$$'
  return /^'SELECT [^;]*$/i.test(part) ? "'SELECT'" : "''"
}

const shortened = (statement: string): string =>
  statement.length <= 60 ? statement : `${statement.slice(0, 59)}…`
