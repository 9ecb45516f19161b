import { expect, test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, openArena, openTwin } from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'

const LIMITS = `
[limits]
rate_burst = 1000000
rate_per_s = 1000000
bytes_per_person_day = 0
`

/** Lines as people write them, and such as take long to read as Markdown. */
const LINES = [
  'the build is **green** again, see https://example.org/builds/42',
  '!['.repeat(990),
  '| a | b |',
  '*a '.repeat(600),
  'http://a.b '.repeat(180),
]
const COUNT = howMuch({ quick: 3_000, long: 30_000 })
/** One of so many is dear. */
const DEAR_EVERY = 20

async function fillRoom(stage: Stage): Promise<void> {
  await using session = await stage.open('writer', '-T')
  const lines = Array.from({ length: COUNT }, (_, at) =>
    at % DEAR_EVERY === 0 ? LINES[(at / DEAR_EVERY) % LINES.length]! : `${at} ${LINES[0]}`,
  )
  session.write(`/create pit\n/join pit\n${lines.join('\n')}\n`)
  session.close()
  expect(await session.exit).toBe(0)
}

test('pages of a long log hold nobody up, and have all of it', async () => {
  await using twin = await openTwin()
  await using arena = await openArena({ config: LIMITS, prepare: fillRoom })
  const damage = await arena.damageOf(twin, async (stage) => {
    const pages = await Promise.all(['ann', 'bob'].map((name) => stage.as(name, ['export', 'pit', '--html'])))
    for (const { stdout, exitCode } of pages) {
      expect(exitCode).toBe(0)
      expect(stdout.match(/<article /g)).toHaveLength(COUNT)
      expect(stdout).toMatch(/<p class="dim">The end: \d+ entries\.<\/p>\n<\/main>\n<\/body>\n<\/html>\n$/)
    }
    return []
  })
  expectUnharmed(damage)
  await expectStops(arena)
}, 500_000)
