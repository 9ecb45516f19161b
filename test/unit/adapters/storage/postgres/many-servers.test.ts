import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { openStorage } from '../../../../../src/adapters/storage/open.ts'
import type { Storage } from '../../../../../src/adapters/storage/storage.ts'
import type { Entry } from '../../../../../src/chat/entry.ts'
import { createSerial } from '../../../../../src/lib/jobs/serial.ts'
import { built } from '../../../../support/built.ts'
import { lacks } from '../../../../support/needs.ts'
import { createDatabase, createMigrated, postgresOptions } from '../../../../support/postgres/databases.ts'
import { lobby } from '../../../../contract/storage/cast.ts'

const HOUR_MS = 3_600_000

interface Told {
  readonly text: string
  readonly id: string
  readonly after: string
}

/** What one process appended, in the order in which it was called. `hint` is called with each. */
async function appendIn(
  url: string,
  args: readonly string[],
  hint: () => Promise<void>,
): Promise<readonly Told[]> {
  const told: Told[] = []
  for await (const line of execa('node', [built('append-many'), url, ...args])) {
    told.push(JSON.parse(line))
    await hint()
  }
  return told
}

/** Reads on after what it has, as a server does that hears hints. */
function createFollower({ chat: { entries } }: Storage) {
  const seen: Entry[] = []
  const readOn = createSerial()
  return {
    seen,
    hint: () =>
      readOn(async () => {
        const after = seen.at(-1)?.id
        seen.push(
          ...(await entries.read(lobby, { limit: 50, oldestFirst: true, ...(after ? { after } : {}) })),
        )
      }),
  }
}

describe.skipIf(lacks('postgres'))('four servers on one database', () => {
  test('append to one room in one order, whatever their clocks; who reads on misses nothing', async () => {
    await using database = await createMigrated()
    await using storage = await openStorage(postgresOptions(database))
    const { seen, hint } = createFollower(storage)
    const processes = Object.entries({ a: 0, b: HOUR_MS, c: -HOUR_MS, d: 0 })
    const told = await Promise.all(
      processes.map(([name, clockOff]) => appendIn(database.url, [name, '50', String(clockOff)], hint)),
    )
    const log = await storage.chat.entries.read(lobby, { limit: 1e6 })
    expect(log).toHaveLength(200)
    expect(seen).toEqual(log)
    // Each process finds its own in the order of its calls.
    for (const own of told)
      expect(
        log.filter(({ text }) => text.startsWith(own[0]?.text[0] ?? '-')).map(({ text }) => text),
      ).toEqual(own.map(({ text }) => text))
    // What each was told is where it stands: after the entry that is before it.
    const placed = new Map(told.flat().map(({ text, id, after }) => [id, { text, after }]))
    expect(log.map(({ id }) => placed.get(id))).toEqual(
      log.map(({ text }, at) => ({ text, after: log[at - 1]?.id ?? '' })),
    )
  })

  test('that start at once bring an empty database to the newest schema once', async () => {
    await using database = await createDatabase()
    const started = await Promise.all(Array.from({ length: 4 }, () => openStorage(postgresOptions(database))))
    await Promise.all(started.map((storage) => storage.upkeep.health()))
    await Promise.all(started.map((storage) => storage[Symbol.asyncDispose]()))
    const rows = await database.send('SELECT version FROM migrations ORDER BY version')
    expect(rows.map(({ version }) => Number(version))).toEqual(rows.map((_, at) => at + 1))
  })
})
