import { afterAll } from 'vitest'
import { openEmptiedStorage } from '../support/emptied-storage.ts'
import { entriesExam } from './storage-exam.ts'

const storage = await openEmptiedStorage()
afterAll(() => storage[Symbol.asyncDispose]())

entriesExam('an SQLite file in threads', storage.emptied)
