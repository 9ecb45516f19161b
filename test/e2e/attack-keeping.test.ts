import { stat } from 'node:fs/promises'
import { encodeTime } from 'ulid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, openArena, openTwin, type Twin } from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'
import { askStored, locationOf, onPostgres } from '../support/stored.ts'

let twin: Twin
beforeAll(async () => {
  twin = await openTwin()
})
afterAll(() => twin[Symbol.asyncDispose]())

const LINES = howMuch({ quick: 50_000, long: 1_000_000 })

/** Of them, lines of a hundred days ago. */
const OLD = howMuch({ quick: 40_000, long: 600_000 })

/** Makes a room in which much was said. */
async function prepare(stage: Stage): Promise<void> {
  await stage.as('holly', ['create', 'pit'])
  const ids = (days: number): string => encodeTime(Date.now() - days * 86_400_000, 10)
  await askStored(
    stage.server.dataDir,
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${LINES})
     SELECT CASE WHEN n <= ${OLD} THEN '${ids(100)}' ELSE '${ids(10)}' END || printf('%016d', n), 'pit', 1, 'message',
       'holly', 'a line that was said long ago, with the number ' || n, '{}' FROM numbers`,
  )
}

const linesIn = async ({ server }: Stage): Promise<unknown> =>
  (await askStored(server.dataDir, "SELECT count(*) AS lines FROM entries WHERE room = 'pit'"))[0]?.['lines']

test('the old lines of a room with a million go, the file shrinks, and nobody waits meanwhile', async ({
  skip,
}) => {
  skip(onPostgres, 'the file is what it is about')
  await using arena = await openArena({ prepare })
  const damage = await arena.damageOf(twin, async (stage) => {
    const file = await locationOf(stage.server.dataDir)
    const size = async (): Promise<number> => (await stat(file)).size
    const before = await size()
    expect((await stage.as('holly', ['keep', 'pit', '30d', '--yes'])).stderr).toBe('')
    await expect.poll(() => linesIn(stage), { timeout: 120_000, interval: 500 }).toBe(LINES - OLD + 1)
    await expect.poll(size, { timeout: 60_000, interval: 500 }).toBeLessThan(before * 0.6)
    return []
  })
  expectUnharmed(damage)
  expect(damage.during, JSON.stringify(damage)).toBeLessThan(Math.max(100, 3 * damage.elsewhere))
  await expectStops(arena)
}, 240_000)
