import { inspect } from 'node:util'
import { DatabaseError } from 'pg'
import { stdSerializers } from 'pino'
import { expect, test } from 'vitest'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import { toStorageError } from '../../../../../src/adapters/storage/postgres/errors.ts'
import { lacks } from '../../../../support/needs.ts'
import { createMigrated, postgresOptions } from '../../../../support/postgres/databases.ts'
import { message } from '../../../../support/storage.ts'

test('what an error of PostgreSQL quotes of a row is in no storage error', () => {
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
