// What the stores use of a database. Kysely builds the statements; connections, transactions, retries and
// errors are the engine's, in sqlite/database.ts and postgres/database.ts. This file must not know an engine.

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  DummyDriver,
  type Insertable,
  Kysely,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Lock } from './locks.ts'
import type { Tables } from './tables.ts'

/** Sends statements through `db`. May run again from its start: changes and awaits only the database. */
export type Job<T> = (db: Kysely<Tables>) => Promise<T>

/** An open database. Its methods reject with `StorageError` only. */
export interface Database {
  readonly dialect: Dialect
  /** Runs statements that change nothing. Sees all writes that were awaited before. */
  read<T>(job: Job<T>): Promise<T>
  /** Creates a queue of writes, run in the order of calls. Each store has its own, to wait for no other. */
  writes(): Writes
  /** Call it in a job that deletes a private text: empties SQLite's write-ahead log within ten seconds. */
  truncateWalSoon(): void
}

export interface Writes {
  /** Runs the job in a transaction, which holds the locks on PostgreSQL. Resolves after the commit. */
  write<T>(job: Job<T>, ...locks: readonly Lock[]): Promise<T>
  /** The same for a job of exactly one statement, which needs no transaction around it. */
  statement<T>(job: Job<T>): Promise<T>
  /** Reads after all earlier writes of this queue, also if nobody awaited them. */
  inOrder<T>(job: Job<T>): Promise<T>
}

export type EntryFact = 'thread' | 'edits' | 'reacts' | 'not_run'

/** The parts of statements that the engines write differently. */
export interface Dialect {
  /** A subquery of one column from one parameter, for `column in ${list(values)}`. The list may be empty. */
  list<T extends string>(values: readonly T[]): RawBuilder<T>
  /** SQL of a fact of an entry, which SQLite reads out of `data` and PostgreSQL has in a column. */
  fact(name: EntryFact): string
  /** SQL of the table `entries`, to be read along the index of `(room, id)` or of `(room, kind, id)`. */
  entriesBy(index: 'room' | 'kind'): string
  /** True if each part of a UNION ALL needs a limit. SQLite accepts none, and merges parts as it reads. */
  readonly limitsParts: boolean
  /** Rows in the first of several queries. A query costs SQLite less than a row. */
  readonly firstRows: number
  /** The end of a SELECT that locks its row until the transaction ends; empty on SQLite. */
  lockRow(strength: 'update' | 'key share'): RawBuilder<unknown>
  /** The day of a column of milliseconds, in UTC: `2026-01-31`. */
  utcDay(column: string): RawBuilder<string>
  /** The database's clock: milliseconds since the epoch. */
  readonly now: RawBuilder<number>
  /** The columns of ON CONFLICT that identify a grant. PostgreSQL's index has a hash of `target`. */
  readonly grantTarget: RawBuilder<unknown>
}

/** Casts an integer or null in a SELECT list, where PostgreSQL would take a parameter for a text. */
export const integer = <T extends number | null>(value: T): RawBuilder<T> => sql`cast(${value} as bigint)`

/** Builds a statement with values for each `?`. This is faster than many nested `sql`. */
export function sqlOf<Row>(text: string, values: readonly unknown[]): RawBuilder<Row> {
  const strings = text.split('?')
  return sql<Row>(Object.assign(strings, { raw: strings }), ...values)
}

export const select = <Row>({ read }: Pick<Database, 'read'>, query: RawBuilder<Row>): Promise<Row[]> =>
  read(async (db) => (await query.execute(db)).rows)

export const changesRow = async (db: Kysely<Tables>, statement: RawBuilder<unknown>): Promise<boolean> =>
  (await statement.execute(db)).numAffectedRows !== 0n

export const send = async (statement: { execute(): Promise<unknown> }): Promise<void> =>
  void (await statement.execute())

/** Inserts a row, or changes all other columns of the row that has these `keys`. */
export async function put<Table extends keyof Tables>(
  db: Kysely<Tables>,
  table: Table,
  row: Insertable<Tables[Table]>,
  ...keys: readonly (keyof Tables[Table] & string)[]
): Promise<void> {
  const columns = Object.keys(row)
  const others = columns.filter((column) => !keys.some((key) => key === column))
  const changes = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`)
  await sql`INSERT INTO ${sql.table(table)} (${refs(columns)}) VALUES (${sql.join(Object.values(row))})
    ON CONFLICT (${refs(keys)}) DO UPDATE SET ${sql.join(changes)}`.execute(db)
}

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

type WithoutNulls<Row> = { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>
}

export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>

/** The row that a statement ending in RETURNING always gives. */
export function requireRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

/** Builds statements in the engine's SQL and sends them one by one. Rejects with what the driver throws. */
export function createKysely(
  { createAdapter, createQueryCompiler }: Pick<KyselyDialect, 'createAdapter' | 'createQueryCompiler'>,
  send: (query: CompiledQuery) => Promise<QueryResult<unknown>>,
): Kysely<Tables> {
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery) => send(query) as Promise<QueryResult<R>>,
    streamQuery: unused,
  }
  return new Kysely({
    dialect: {
      createAdapter,
      createQueryCompiler,
      createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: async () => connection }),
      createIntrospector: unused,
    },
  })
}

const unused = (): never => {
  throw new Error('the stores use neither streams nor introspection')
}
