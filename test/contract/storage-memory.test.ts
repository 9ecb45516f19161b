import { expect, test } from 'vitest'
import { openStorage } from '../../src/adapters/storage/open.ts'
import { storageExam } from './storage-exam.ts'

storageExam('memory', () => openStorage({ engine: 'memory' }))

test('memory says that it has nothing to back up', async () => {
  await using storage = await openStorage({ engine: 'memory' })
  await expect(storage.backup('/nowhere')).rejects.toThrow('nothing is kept on disk')
})
