import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyDatabase } from '../../../../../src/adapters/storage/copy/databases.ts'
import { paths } from '../../../../../src/app/paths.ts'
import { StorageError } from '../../../../../src/chat/errors.ts'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated, type TestDatabase } from '../../../../support/postgres/databases.ts'
import { advised, audited, used } from '../../../../support/postgres/poor-role.ts'
import { temporaryDir } from '../../../../support/storage.ts'

/** A role that may read everything, and write nothing. */
async function reader(database: TestDatabase, made = ''): Promise<string> {
  const role = database.role('reader')
  await database.send(
    `CREATE USER ROLE; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ROLE; GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO ROLE; ${made}`.replaceAll(
      'ROLE',
      role,
    ),
  )
  return Object.assign(new URL(database.url), { username: role }).toString()
}

async function copied(url: string): Promise<string> {
  using dir = temporaryDir()
  const file = join(dir.path, 'copy.db')
  const copying = copyDatabase({ from: url, to: file, migrationsDir: paths.migrations, now: () => 0 })
  return await copying.then(
    () => '',
    (error: unknown) => (error instanceof StorageError ? error.forOperators : String(error)),
  )
}

describe.skipIf(lacks('postgres'))('a role that only looks at a PostgreSQL database', () => {
  test('finds what it may read behind an empty schema that it looks into first', async () => {
    await using database = await createMigrated()
    const url = await reader(
      database,
      'CREATE SCHEMA first AUTHORIZATION ROLE; ALTER USER ROLE SET search_path = first, public',
    )
    expect([await audited(url), await copied(url)]).toEqual(['', ''])
  })

  test('is told where a policy keeps rows from it, and how it gets them', async () => {
    await using database = await createMigrated()
    expect(await used(database.url)).toBe('')
    const url = await reader(
      database,
      "ALTER TABLE entries ENABLE ROW LEVEL SECURITY; CREATE POLICY of_bob ON entries FOR SELECT TO ROLE USING (author = 'bob')",
    )
    const sentence = await audited(url)
    expect(sentence).toMatch(
      /^row level security may keep the role reader_\w+ from rows of the table entries; run there: CREATE POLICY /,
    )
    expect(await copied(url)).toBe(sentence)
    await database.send(advised(sentence))
    expect([await audited(url), await copied(url)]).toEqual(['', ''])
  })

  test('reads where the tables are that it looks for in vain, to copy them, too', async () => {
    await using database = await createMigrated()
    const { url } = database
    expect(await used(url)).toBe('')
    await database.send('ALTER SCHEMA public RENAME TO first')
    const sentence = await audited(url)
    expect(sentence).toContain('does not find the tables of the schema first')
    expect(await copied(url)).toBe(sentence)
  })
})
