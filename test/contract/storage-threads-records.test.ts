import { afterAll } from 'vitest'
import { openEmptiedStorage } from '../support/emptied-storage.ts'
import { recordsExam } from './storage-exam.ts'

const storage = await openEmptiedStorage()
afterAll(() => storage[Symbol.asyncDispose]())

recordsExam('an SQLite file in threads', storage.emptied)
