import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { openStorage, type StorageOptions } from '../../../src/storage/open.ts'
import type { EmptiedStorage } from '../emptied-storage.ts'
import { sqliteOptions } from '../storage.ts'
import { sendTo } from './send-to.ts'
import { madeOnce, urlOfServer } from './server.ts'

/** A database of one's own on the server of this run, gone when disposed of. */
export type TestDatabase = Awaited<ReturnType<typeof copyOf>>

export const createDatabase = (): Promise<TestDatabase> => copyOf('template1')

/** Makes one that has the bundled schema already: to migrate it takes longer than many a test. */
export async function createMigrated(): Promise<TestDatabase> {
  const dir = inject('postgresDir')
  return await copyOf(await madeOnce(dir, 'migrated', async () => await migratedOn(await urlOfServer(dir))))
}

/** The name of a database of the bundled schema. Nobody uses it, since only such a one can be copied. */
async function migratedOn(server: string): Promise<string> {
  const name = 'migrated'
  await sendTo(server, `CREATE DATABASE ${name}`)
  const storage = await openStorage(postgresOptions({ url: inServer(server, name) }))
  await storage[Symbol.asyncDispose]()
  return name
}

const inServer = (server: string, database: string): string => server.replace(/postgres$/, database)

async function copyOf(template: string) {
  const server = await urlOfServer(inject('postgresDir'))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await sendTo(server, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = inServer(server, name)
  const roles: string[] = []
  return {
    url,
    /** A name for a role of this database alone; it goes with it. */
    role(role: string): string {
      roles.push(`${role}_${name}`)
      return `${role}_${name}`
    },
    /** Sends statements to it as its owner. */
    send: (text: string): Promise<readonly Record<string, unknown>[]> => sendTo(url, text),
    async [Symbol.asyncDispose]() {
      await sendTo(server, `DROP DATABASE ${name} WITH (FORCE)`)
      for (const role of roles) await sendTo(server, `DROP ROLE IF EXISTS ${role}`)
    },
  }
}

export const postgresOptions = ({ url }: Pick<TestDatabase, 'url'>): StorageOptions => ({
  ...sqliteOptions(''),
  url,
})

export interface EmptiedPostgres extends EmptiedStorage {
  readonly database: TestDatabase
}

/** A store in PostgreSQL that many tests use one after the other: a database for each test would take as long as the test. */
export async function openEmptiedPostgres(): Promise<EmptiedPostgres> {
  const database = await createMigrated()
  const storage = await openStorage(postgresOptions(database))
  const tables = await database.send(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'",
  )
  const numbered = await database.send("SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
  const emptying = [
    ...tables.map(({ tablename }) => `DELETE FROM ${String(tablename)}`),
    ...numbered.map(({ sequencename }) => `ALTER SEQUENCE ${String(sequencename)} RESTART`),
  ]
  return {
    database,
    async emptied() {
      // No row refers to another meanwhile.
      await database.send(['SET session_replication_role = replica', ...emptying].join('; '))
      return { ...storage, async [Symbol.asyncDispose]() {} }
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
