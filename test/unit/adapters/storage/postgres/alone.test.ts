import { describe, expect, test, vi } from 'vitest'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase, postgresOptions } from '../../../../support/postgres/databases.ts'

const HOLDER = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

describe.skipIf(lacks('postgres'))('a server that must be alone with a database', () => {
  test('is refused while another one has it, and let in when that has stopped', async () => {
    await using database = await createDatabase()
    const options = { ...postgresOptions(database), isAlone: true }
    const first = await openStorage(options)
    await expect(openStorage(options)).rejects.toMatchObject({
      reason: 'locked',
      message: expect.stringContaining('another server uses the database') as string,
    })
    await first[Symbol.asyncDispose]()
    await (await openStorage(options))[Symbol.asyncDispose]()
  })

  test('keeps it where the connection of its lock ends', async () => {
    await using database = await createDatabase()
    const options = { ...postgresOptions(database), isAlone: true }
    await using _storage = await openStorage(options)
    const [before] = await database.send(HOLDER)
    await database.send(`SELECT pg_terminate_backend(${String(before?.['pid'])})`)
    const holder = await vi.waitFor(
      async () => {
        const [now] = await database.send(HOLDER)
        expect(now?.['pid']).not.toBe(before?.['pid'])
        expect(now).toBeDefined()
        return now
      },
      { timeout: 20_000 },
    )
    expect(holder?.['pid']).toBeGreaterThan(0)
    await expect(openStorage(options)).rejects.toMatchObject({ reason: 'locked' })
  })
})
