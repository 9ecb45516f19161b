import { afterAll, beforeAll, describe } from 'vitest'
import type { EmptiedStorage } from '../support/emptied-storage.ts'
import { lacks } from '../support/needs.ts'
import { openEmptiedPostgres } from '../support/postgres/databases.ts'
import { entriesExam } from './storage-exam.ts'

describe.skipIf(lacks('postgres'))('entries', () => {
  let storage: EmptiedStorage
  beforeAll(async () => {
    storage = await openEmptiedPostgres()
  })
  afterAll(() => storage[Symbol.asyncDispose]())

  entriesExam('PostgreSQL', () => storage.emptied())
})
