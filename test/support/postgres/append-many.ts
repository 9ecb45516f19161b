/** Appends so many entries to a room of a PostgreSQL database, many at once, by a clock that is off. Prints the texts with their ids. */
import { openStorage } from '../../../src/storage/open.ts'
import { createIds } from '../../../src/base/ids.ts'
import { message, sqliteOptions } from '../storage.ts'

const [, , url = '', name = '', count = '', clockOff = ''] = process.argv
const nextId = createIds({ now: () => Date.now() + Number(clockOff) })
await using storage = await openStorage({ ...sqliteOptions(''), url })
const texts = Array.from({ length: Number(count) }, (_, n) => `${name} ${n}`)

async function append(text: string): Promise<string> {
  const { id, after = '' } = await storage.chat.entries.append(message(nextId(), 'lobby', text))
  return JSON.stringify({ text, id, after })
}

for (let at = 0; at < texts.length; at += 10)
  for (const line of await Promise.all(texts.slice(at, at + 10).map(append))) console.log(line)
