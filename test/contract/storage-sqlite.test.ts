import { openStorage } from '../../src/adapters/storage/open.ts'
import type { Storage } from '../../src/adapters/storage/storage.ts'
import { sqliteOptions, temporaryDir } from '../support/storage.ts'
import { storageExam } from './storage-exam.ts'

storageExam('sqlite', async (): Promise<Storage> => {
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
