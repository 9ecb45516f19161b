import { describe, expect, test } from 'vitest'
import { damageOf, openStorage } from '../../../../../src/adapters/storage/open.ts'
import { paths } from '../../../../../src/app/paths.ts'
import { StorageError } from '../../../../../src/chat/errors.ts'
import { idOf } from '../../../../contract/storage/cast.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase, createMigrated, postgresOptions } from '../../../../support/postgres/databases.ts'
import { message } from '../../../../support/storage.ts'

const as = (username: string, url: string): string => Object.assign(new URL(url), { username }).toString()

/** What a server does first with a database, and most. */
async function use(url: string): Promise<void> {
  await using storage = await openStorage(postgresOptions({ url }))
  await storage.chat.log.append(message(idOf(1), 'lobby', 'said'))
}

describe.skipIf(lacks('postgres'))('a PostgreSQL database, by the rights of a role', () => {
  test('looks unfit where it may not write, in a sentence that says what to grant, and that is enough', async () => {
    for (const make of [createDatabase, createMigrated]) {
      await using database = await make()
      const role = database.role('Poor')
      await database.send(`CREATE ROLE "${role}" LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
      await database.send(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO "${role}"`)
      const url = as(role, database.url)
      await expect(use(url)).rejects.toMatchObject({ reason: 'read-only' })
      const failure: unknown = await damageOf(url, paths.migrations).catch((error: unknown) => error)
      const told = failure instanceof StorageError ? failure.message : ''
      expect(told).toMatch(
        make === createDatabase
          ? /^the role "Poor_\w+" may not make tables; run there: GRANT USAGE, CREATE ON SCHEMA public TO "/
          : /^the role "Poor_\w+" may not read and write the table \w+; run there: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL/,
      )
      await database.send(told.replace(/^.* run there: /, ''))
      await expect(damageOf(url, paths.migrations)).resolves.toBeUndefined()
      await use(url)
    }
  })

  test('looks unfit where the schema is older and another role owns it', async () => {
    await using database = await createMigrated()
    const role = database.role('other')
    await database.send(`CREATE ROLE ${role} LOGIN; GRANT ALL ON SCHEMA public TO ${role}`)
    await database.send(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
    await database.send(
      'DELETE FROM migrations WHERE version = 5; DROP TABLE secrets; DROP FUNCTION forget_claim() CASCADE',
    )
    await expect(damageOf(as(role, database.url), paths.migrations)).rejects.toThrow(
      /may not change the table \w+; start this version with the role that owns it$/,
    )
    await expect(damageOf(database.url, paths.migrations)).resolves.toBeUndefined()
  })
})
