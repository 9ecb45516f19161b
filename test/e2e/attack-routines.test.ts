import { describe, expect, test } from 'vitest'
import { expectUnharmed, expectWithin, howMuch, openArena, shareTwin } from '../support/attack.ts'
import { askStored } from '../support/stored.ts'
import type { Stage } from '../support/stage.ts'

const twin = shareTwin()

/** How many routines each person has in the one room, which takes 50. */
const OF_PERSON = { ann: 20, bob: 20, carl: 10 }
const COUNT = Object.values(OF_PERSON).reduce((sum, count) => sum + count)
const NUMBERS = Array.from({ length: 20 }, (_, index) => index)

/** The routines are due in the same second, when somebody types and all is measured. */
const DUE_MS = 10_000

async function fillRoom(stage: Stage): Promise<void> {
  for (const name of Object.keys(OF_PERSON)) await stage.as(name, ['whoami'])
  await stage.server.stop('SIGTERM')
  const due = Date.now() + DUE_MS
  let first = 1
  for (const [name, count] of Object.entries(OF_PERSON)) {
    const rows = NUMBERS.slice(0, count).map((n) => `SELECT ${first + n} AS n`)
    await askStored(
      stage.server.dataDir,
      `INSERT INTO routines (id, room, number, kind, person, text, condition, zone, at, state, reason, next_at,
         failures, seen_at, spent, spent_day)
       SELECT 'r' || n, 'lobby', n, 'once', id, '@guide hello ' || n, '{"kind":"once","at":${due},"asks":["guide"]}',
         'UTC', ${due}, 'active', '', ${due}, 0, ${due}, 0, 0
       FROM people, (${rows.join(' UNION ')}) AS numbered WHERE name = '${name}'`,
    )
    first += count
  }
  await stage.restart('SIGTERM')
}

describe('a room full of routines', () => {
  test('fifty routines that are due in the same second all run and delay no typed text', async () => {
    await using arena = await openArena({ prepare: fillRoom })
    let said: readonly unknown[] = []
    let answers = 0
    let waiting = 0
    const damage = await arena.damageOf(twin(), async (stage) => {
      const open = async (): Promise<number> =>
        (await askStored(stage.server.dataDir, "SELECT id FROM routines WHERE state <> 'ended'")).length
      waiting = await open()
      await expect.poll(open, { timeout: 50_000, interval: 200 }).toBe(0)
      const { stdout } = await stage.as('ann', ['history', 'lobby', '--json', '-n', '1000'])
      const log = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { kind: string; routine?: number })
      said = log.flatMap(({ kind, routine }) =>
        kind === 'message' && routine !== undefined ? [routine] : [],
      )
      answers = log.filter(({ kind }) => kind === 'reply').length
      return []
    })
    // On a busy machine the first may have run before somebody types.
    expect(waiting).toBeGreaterThanOrEqual(howMuch({ quick: 0, long: COUNT }))
    expect(new Set(said).size).toBe(COUNT)
    expect(said).toHaveLength(COUNT)
    // The last turns may not have ended yet.
    expect(answers).toBeGreaterThanOrEqual(COUNT - 2)
    expectUnharmed(damage)
    expectWithin(damage.during, 100, JSON.stringify(damage))
  })
})
