import { expect, test } from 'vitest'
import { openStorage } from '../../../../src/adapters/storage/open.ts'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import type { RoomName } from '../../../../src/chat/entry.ts'
import { message, sqliteOptions, temporaryDir } from '../../../support/storage.ts'

test('an entry of a kind that this version does not know reads as a notice with its text', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await using storage = await openStorage(options)
  await storage.chat.entries.append(message('1', 'lobby', 'of a newer version'))
  openFile(options.file).exec(`UPDATE entries SET kind = 'poll', data = '{"votes":3}'`).close()
  const notice = {
    ...{ id: '1', room: 'lobby', at: 1_700_000_000_000, kind: 'notice', level: 'info' },
    ...{ author: 'alice', text: 'of a newer version' },
  }
  expect(await storage.chat.entries.read('lobby' as RoomName, { limit: 9 })).toEqual([notice])
})
