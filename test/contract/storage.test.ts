import { openStorage } from '../../src/adapters/storage/open.ts'
import type { Storage } from '../../src/adapters/storage/storage.ts'
import { paths } from '../../src/app/paths.ts'
import { openInMemory, sqliteOptions, temporaryDir } from '../support/storage.ts'
import { storageExam } from './storage-exam.ts'

async function openInThreads(): Promise<Storage> {
  const dir = temporaryDir()
  const storage = await openStorage({ ...sqliteOptions(dir.path), threadEntry: paths.storageThread })
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      dir[Symbol.dispose]()
    },
  }
}

storageExam('an SQLite file in threads', openInThreads)
storageExam('SQLite in memory, in the thread of its caller', openInMemory)
