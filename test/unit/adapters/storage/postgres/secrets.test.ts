import { expect, test } from 'vitest'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase, postgresOptions } from '../../../../support/postgres/databases.ts'

test.skipIf(lacks('postgres'))('all servers have the claim code of the first', async () => {
  await using database = await createDatabase()
  await using one = await openStorage(postgresOptions(database))
  await using two = await openStorage(postgresOptions(database))
  const made = Array.from({ length: 20 }, (_, at) => `code ${at}`)
  const codes = await Promise.all(
    made.map(async (code, at) => await (at % 2 ? one : two).cluster?.common.claimCode(code)),
  )
  expect(new Set(codes).size).toBe(1)
  expect(made).toContain(codes[0])
})

test.skipIf(lacks('postgres'))(
  'a claim code is forgotten with the first admin, however they become one',
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

test.skipIf(lacks('postgres'))("the time is the database's", async () => {
  await using database = await createDatabase()
  await using storage = await openStorage(postgresOptions(database))
  const now = async (): Promise<number> =>
    Number((await database.send('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'))[0]?.['now'])
  const before = await now()
  const asked = (await storage.cluster?.common.now()) ?? 0
  expect(asked).toBeGreaterThan(before)
  expect(asked).toBeLessThan(await now())
})
