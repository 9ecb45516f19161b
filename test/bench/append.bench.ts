import { test } from 'vitest'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { EntryId } from '../../src/words/entry.ts'
import { paths } from '../../src/base/paths.ts'
import { lacks } from '../support/needs.ts'
import { createMigrated } from '../support/postgres/databases.ts'
import { message, sqliteOptions, temporaryDir } from '../support/storage.ts'
import { median, report } from './measure.ts'

/** Messages that are appended at the same time, as in a busy room, and how often. */
const CROWDS = [1, 50, 500]
const ROUNDS = 60
const WARMUP = 20

test('appending messages, one at a time and many at once', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await measure('SQLite in memory', await openStorage({ ...options, file: ':memory:' }))
  await measure('SQLite in threads', await openStorage({ ...options, threadEntry: paths.storageThread }))
  if (lacks('postgres')) return
  await using database = await createMigrated()
  await measure('PostgreSQL', await openStorage({ ...options, url: database.url }))
})

/** Appends in crowds of each size. Ids ascend, and no text is new. */
async function measure(engine: string, opened: Storage): Promise<void> {
  await using storage = opened
  let last = 0
  const append = (): Promise<unknown> => {
    const id = String(++last).padStart(26, '0') as EntryId
    return storage.chat.entries.append(message(id, 'lobby', 'a message of ordinary length, as people write'))
  }
  const rows = []
  for (const crowd of CROWDS) {
    const times: number[] = []
    for (let round = 0; round < WARMUP + ROUNDS; round += 1) {
      const start = performance.now()
      await Promise.all(Array.from({ length: crowd }, append))
      if (round >= WARMUP) times.push(performance.now() - start)
    }
    const middle = median(times)
    rows.push([String(crowd), middle, (middle / crowd) * 1_000])
  }
  report(`appending to ${engine}, medians of ${ROUNDS} rounds`, [['at once', 'ms', 'µs for each'], ...rows])
}
