/** Opens the database of a directory (the built program's way) and appends to it until it is killed, printing each id once its append has resolved. */
import { openStorage } from '../../dist/adapters/storage/open.js'
import { createIds } from '../../dist/lib/ids.js'
import { paths } from '../../dist/app/paths.js'

const [, , file] = process.argv
const log = { debug() {}, info() {}, warn() {}, error() {} }
const storage = await openStorage({
  file,
  migrationsDir: paths.migrations,
  clock: Date,
  log,
})
const nextId = createIds(Date)

async function appendOne() {
  const id = nextId()
  await storage.chat.log.append({
    id,
    at: 0,
    room: 'lobby',
    kind: 'message',
    author: 'child',
    text: 'x'.repeat(500),
  })
  process.stdout.write(`${id}\n`)
}

for (;;) await Promise.all(Array.from({ length: 20 }, appendOne))
