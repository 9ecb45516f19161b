import { expect, test, vi } from 'vitest'
import { inspect } from 'node:util'
import { Client, DatabaseError } from 'pg'
import { stdSerializers } from 'pino'
import { openStorage } from '../../../../src/storage/open.ts'
import { toStorageError } from '../../../../src/storage/postgres/errors.ts'
import { lacks } from '../../../support/needs.ts'
import { createDatabase, createMigrated, postgresOptions } from '../../../support/postgres/databases.ts'
import { message } from '../../../support/storage.ts'
import { alice, key } from '../../../contract/storage/cast.ts'

test.skipIf(lacks('postgres'))(
  'a claim code is replaced after an admin was made by an update or an insert',
  async () => {
    await using database = await createDatabase()
    await using storage = await openStorage(postgresOptions(database))
    const code = (made: string) => storage.cluster?.common.claimCode(made)
    const person = (id: string, admin: number): string =>
      `INSERT INTO people (id, name, skeleton, look, admin, created_at) VALUES ('${id}', '${id}', '${id}', '${id}', ${admin}, 1)`
    expect(await code('one')).toBe('one')
    await database.send(person('ann', 0))
    expect(await code('two')).toBe('one')
    await database.send("UPDATE people SET admin = 1 WHERE id = 'ann'")
    expect(await code('three')).toBe('three')
    await database.send(person('bob', 1))
    expect(await code('four')).toBe('four')
  },
)

test.skipIf(lacks('postgres'))('the cluster clock is the clock of the database', async () => {
  await using database = await createDatabase()
  await using storage = await openStorage(postgresOptions(database))
  const now = async (): Promise<number> =>
    Number((await database.send('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'))[0]?.['now'])
  const before = await now()
  const asked = (await storage.cluster?.common.now()) ?? 0
  expect(asked).toBeGreaterThan(before)
  expect(asked).toBeLessThan(await now())
})

test('a storage error contains no row values that a PostgreSQL error quotes', () => {
  const quoting = Object.assign(new DatabaseError('duplicate key value', 1, 'error'), {
    code: '23505',
    table: 'people',
    constraint: 'people_pkey',
    detail: 'Key (name)=(said in private) already exists.',
    where: 'COPY people, line 1: "said in private"',
  })
  const { cause, message, forOperators } = toStorageError(quoting)
  expect(cause).toMatchObject({ code: '23505', table: 'people', constraint: 'people_pkey' })
  expect(JSON.stringify([cause, String(cause), message, forOperators])).not.toContain('said in private')
})

test.skipIf(lacks('postgres'))('the log line of a refused message does not quote the message', async () => {
  await using database = await createMigrated()
  await using storage = await openStorage(postgresOptions(database))
  await database.send('ALTER TABLE entries ADD CONSTRAINT short CHECK (length(text) < 9)')
  const refused = storage.chat.entries.append(message('1', 'lobby', 'said in private'))
  const failure: unknown = await refused.catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'StorageError', cause: { code: '23514', constraint: 'short' } })
  const logged = JSON.stringify(stdSerializers.err(failure as Error))
  expect(logged).toContain('violates check constraint')
  expect(logged + inspect(failure, { depth: 9, showHidden: true })).not.toContain('said in private')
})

test.skipIf(lacks('postgres'))(
  'a login sends the same single query to PostgreSQL for a known, unknown or foreign key',
  async () => {
    await using database = await createMigrated()
    await using storage = await openStorage(postgresOptions(database))
    const { people } = storage.chat
    await people.register(alice, 'alice', key(1), 5)
    const asked = vi.spyOn(Client.prototype, 'query')
    try {
      for (const [name, n] of [
        ['alice', 1],
        ['alice', 2],
        ['nobody', 1],
        ['nobody', 2],
      ] as const)
        await people.forLogin(name, key(n), 9)
      const texts = asked.mock.calls.map(([query]) => JSON.stringify(query, ['text']))
      expect(texts).toHaveLength(4)
      expect(new Set(texts).size).toBe(1)
    } finally {
      asked.mockRestore()
    }
  },
)
