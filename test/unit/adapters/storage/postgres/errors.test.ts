import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { toStorageError } from '../../../../../src/adapters/storage/postgres/errors.ts'

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
