import { expect, inject, test } from 'vitest'
import { fuzz } from '../fuzz/fuzz.ts'
import { howMuch } from '../support/attack.ts'
import { describeReport } from '../fuzz/report.ts'

/** `npm run fuzz` goes on for longer. */
const SECONDS = howMuch({ quick: 3, long: 10 })

test('random sessions, commands or packets end no session and cause no uncaught error', async () => {
  const seed = inject('seed')
  const report = await fuzz({ seed, seconds: SECONDS })
  expect(report.findings, describeReport(report, seed)).toEqual([])
  expect(report.cases).toBeGreaterThan(0)
  expect(report.answers.length).toBeGreaterThan(0)
})
