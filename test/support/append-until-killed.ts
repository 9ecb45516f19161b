/** Opens the database of a directory and appends to it until it is killed, printing each id once its append has resolved. */
import { openStorage } from '../../src/storage/open.ts'
import { createIds } from '../../src/base/ids.ts'
import type { EntryId, RoomName } from '../../src/words/entry.ts'
import { sqliteOptions } from './storage.ts'

const [, , directory = ''] = process.argv
const storage = await openStorage(sqliteOptions(directory))
const nextId = createIds(Date)

async function appendOne(): Promise<void> {
  const id = nextId() as EntryId
  await storage.chat.entries.append({
    id,
    at: 0,
    room: 'lobby' as RoomName,
    kind: 'message',
    author: 'child',
    text: 'x'.repeat(500),
  })
  process.stdout.write(`${id}\n`)
}

for (;;) await Promise.all(Array.from({ length: 20 }, appendOne))
