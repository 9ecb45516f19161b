import { expect, test } from 'vitest'
import { createSqliteDatabase } from '../../../../src/adapters/storage/sqlite/database.ts'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import { createStores } from '../../../../src/adapters/storage/sqlite/stores.ts'
import { alice, key } from '../../../contract/storage/cast.ts'
import { emptyDatabase } from '../../../support/storage.ts'

test('a login with a known, an unknown and a foreign key asks SQLite the same one question', async () => {
  const statements: string[] = []
  const verbose = (statement: unknown): void => void statements.push(String(statement))
  const database = createSqliteDatabase(openFile(emptyDatabase(), { verbose }))
  const { people } = createStores(database).chat
  await people.register(alice, 'alice', key(1), 5)
  const shapes: string[] = []
  for (const [name, n] of [
    ['alice', 1],
    ['alice', 2],
    ['nobody', 1],
    ['nobody', 2],
  ] as const) {
    statements.length = 0
    await people.forLogin(name, key(n), 9)
    expect(statements).toHaveLength(1)
    shapes.push(
      statements
        .join()
        .replaceAll(`'${name}'`, '@name')
        .replaceAll(`'${key(n)}'`, '@key'),
    )
  }
  expect(new Set(shapes).size).toBe(1)
  await database.close()
})
