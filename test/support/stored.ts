import { writeFile } from 'node:fs/promises'
import { isUrl, openStorage, type DatabaseLocation } from '../../src/storage/open.ts'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { TestDatabase } from './postgres/databases.ts'
import { sendTo } from './postgres/send-to.ts'
import { sqliteOptions } from './storage.ts'

/**
 * In the project `postgres` each server of the end-to-end tests stores in a PostgreSQL database of its own.
 */
export const onPostgres = process.env['TEST_STORAGE'] === 'postgres'

/** By data directory: a server that is started again goes on with the database that it had. */
const databases = new Map<string, Promise<TestDatabase>>()

/** Where a server with that data directory stores: in its file, or in a database that is made when it is first asked for. */
export async function locationOf(dataDir: string): Promise<DatabaseLocation> {
  if (!onPostgres) return sqliteOptions(dataDir).file
  const database = databases.get(dataDir) ?? makeDatabase()
  databases.set(dataDir, database)
  return (await database).url
}

/** Loaded by those alone who have PostgreSQL: programs without vitest start servers, too. */
const makeDatabase = async (): Promise<TestDatabase> =>
  (await import('./postgres/databases.ts')).createMigrated()

/** The config of a server that was given none: it has no file, unless it must be told its database. */
export const writeNoConfig = async (dataDir: string): Promise<string | undefined> =>
  onPostgres ? await writeConfig(dataDir, '') : undefined

/**
 * Writes the config of a server with that data directory, beside it; where the text names no storage, the server's database is added.
 * Resolves to the file.
 */
export async function writeConfig(dataDir: string, config: string): Promise<string> {
  const file = `${dataDir}.toml`
  const isNamed = !onPostgres || config.includes('[storage]')
  await writeFile(file, isNamed ? config : `${config}\n[storage]\nurl = "${await locationOf(dataDir)}"\n`)
  return file
}

/** Opens what a server with that data directory has stored, or will find there. */
export async function openStored(dataDir: string): Promise<Storage> {
  const location = await locationOf(dataDir)
  return await openStorage({ ...sqliteOptions(dataDir), ...(isUrl(location) ? { url: location } : {}) })
}

/** Sends a statement, which both engines understand, to what that server has stored, also while it runs. Resolves to the rows. */
export async function askStored(dataDir: string, statement: string): Promise<readonly Row[]> {
  const location = await locationOf(dataDir)
  if (isUrl(location)) return await sendTo(location, statement)
  const file = openFile(location)
  try {
    const prepared = file.prepare<[], Row>(statement)
    if (prepared.reader) return prepared.all()
    prepared.run()
    return []
  } finally {
    file.close()
  }
}

export async function allStored(dataDir: string): Promise<readonly Row[]> {
  const tables = await askStored(dataDir, onPostgres ? POSTGRES_TABLES : SQLITE_TABLES)
  const rows = await Promise.all(
    tables.map(({ name }) => askStored(dataDir, `SELECT * FROM "${String(name)}"`)),
  )
  return rows.flat()
}

const SQLITE_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
const POSTGRES_TABLES = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"

type Row = Readonly<Record<string, unknown>>

export async function dropDatabases(): Promise<void> {
  const made = [...databases.values()]
  databases.clear()
  for (const database of made) await (await database)[Symbol.asyncDispose]()
}
