import { openStorage } from '../../src/adapters/storage/open.ts'
import { openInMemory, sqliteOptions, temporaryDir } from '../support/storage.ts'
import { storageExam } from './storage-exam.ts'

storageExam('an SQLite file', async () => {
  const dir = temporaryDir()
  const storage = await openStorage(sqliteOptions(dir.path))
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      dir[Symbol.dispose]()
    },
  }
})

storageExam('SQLite in memory', openInMemory)
