import type { Database } from 'better-sqlite3'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { RoomName } from '../../src/words/entry.ts'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { readMigrations } from '../../src/storage/migrations.ts'
import { paths } from '../../src/base/paths.ts'
import type { Composer } from '../../src/wrap/ports.ts'
import { sqliteOptions } from '../support/storage.ts'
import { median, race, report, verdict } from './measure.ts'
import { openComposer, TARGET, workload } from './workload.ts'

const SIZES = [100, 10_000, 1_000_000]
const ROUNDS = { rounds: 60, warmup: 15 }
const nameOf = (size: number): RoomName => `room-${size}` as RoomName

test('composing in rooms with 100, 10,000 and 1,000,000 stored messages', async () => {
  const options = await seeded()
  await using storage = await openStorage(options)
  await using composer = openComposer(1)
  const parts = new Map<string, number[]>()
  const prompts = new Map<number, number>()
  const work = (size: number) => async (): Promise<void> => {
    const { read, used } = await composeFrom(storage, composer, size)
    parts.set(nameOf(size), [...(parts.get(nameOf(size)) ?? []), read])
    prompts.set(size, used)
  }
  for (const size of SIZES) await countRows(storage, composer, size)
  const times = await race(Object.fromEntries(SIZES.map((size) => [nameOf(size), work(size)])), ROUNDS)

  const middle = SIZES.map((size) => median(times[nameOf(size)]!))
  const spread = Math.max(...middle) / Math.min(...middle)
  report(`(b) reading and composing from a database, medians of ${ROUNDS.rounds} rounds side by side`, [
    ['stored messages', 'ms', 'of it reading rows', 'tokens used'],
    ...SIZES.map((size, index) => [
      size.toLocaleString('en'),
      middle[index]!,
      median(parts.get(nameOf(size))!.slice(ROUNDS.warmup)),
      String(prompts.get(size)),
    ]),
    ['dearest against cheapest', verdict(spread, spread <= 1.5, 'at most 1.5'), '', ''],
  ])
})

/** What a turn does for its prompt: the newest rows that can fit, with their counts, then the composition. */
async function composeFrom(storage: Storage, composer: Composer, size: number) {
  const start = performance.now()
  const rows = await newest(storage, size)
  const read = performance.now() - start
  const { budget } = await composer.compose(workload(rows))
  return { read, used: budget.used }
}

const newest = (storage: Storage, size: number) =>
  storage.prompts.history.newest(nameOf(size), {
    encoding: 'o200k_base',
    maxRows: 500,
    maxTokens: TARGET,
    withoutThreads: true,
    kinds: ['message', 'action', 'reply', 'tool_call', 'tool_result', 'notice', 'scope'],
  })

/** As the first turn in a room leaves it: what was read is counted, and the counts are stored. */
async function countRows(storage: Storage, composer: Composer, size: number): Promise<void> {
  const rows = (await newest(storage, size)).filter((row) => row.tokens === undefined)
  const counts = await composer.count(
    'o200k_base',
    rows.map(({ entry }) => `${entry.author}: ${entry.text}`),
  )
  await storage.prompts.history.saveCounts(
    'o200k_base',
    new Map(rows.map(({ entry }, at) => [entry.id, counts[at]!])),
  )
}

/** Each message is long enough (some 90 tokens) that a hundred of them fill the prompt: all rooms do the same work. */
const WORDS =
  'says that the build on the second machine is slow again, that somebody should look at the disk before the ' +
  'weekend, and that the notes from the last meeting are still missing from the page where people look for them; ' +
  'if nobody minds, the plan is to move the nightly jobs by an hour, to write down what was tried so far, and to ask ' +
  'again on Monday whether it got any better than it was in the weeks before'

/** A database of the present schema, kept between runs: seeding takes about half a minute. */
async function seeded() {
  const schema = readMigrations(paths.migrations).length
  const dir = join(tmpdir(), `sshawl-bench-${schema}`)
  mkdirSync(dir, { recursive: true })
  const options = sqliteOptions(dir)
  await (await openStorage(options))[Symbol.asyncDispose]()
  const db = openFile(options.file)
  db.transaction(() => SIZES.forEach((size) => fill(db, size)))()
  db.close()
  return options
}

/** Brings a room to its size, unless it has it; the ids are as long as real ones, and in order. */
function fill(db: Database, size: number): void {
  const room = nameOf(size)
  const stored = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM entries WHERE room = ?')
  if (stored.get(room)!.n === size) return
  db.prepare(
    `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < @size)
     INSERT OR IGNORE INTO entries (id, room, at, kind, author, text, data)
     SELECT printf('%08dB%017d', @size, n), @room, n, 'message', 'bob', 'message ' || n || ' ' || @words, '{}' FROM number`,
  ).run({ size, room, words: WORDS })
}
