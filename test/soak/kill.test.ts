import { expect, test } from 'vitest'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { killUnderLoad } from '../support/kill-under-load.ts'

/** `SOAK_KILLS`, a hundred if absent. */
const KILLS = Number(process.env['SOAK_KILLS'] ?? 100)

test(`every line that a client saw is stored once and in order after ${KILLS} kills at random moments`, async () => {
  const report = await killUnderLoad(KILLS)
  expectNothingLost(report)
  const shown = new Set(report.shown.flat()).size
  console.log(
    `${KILLS} kills: ${shown} lines were shown, ${report.stored.length} are stored, none lost or doubled`,
  )
  expect(shown).toBeGreaterThan(0)
})
