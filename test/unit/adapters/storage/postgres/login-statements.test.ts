import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import { alice, key } from '../../../../contract/storage/cast.ts'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated, postgresOptions } from '../../../../support/postgres/databases.ts'

test.skipIf(lacks('postgres'))(
  'a login with a known, an unknown and a foreign key asks PostgreSQL the same one question',
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
