import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'

/** What a store of model facts must do; `store` gives the one of the running test. */
export function modelFactsExam(store: () => Storage): void {
  test('keeps what was last known of each model', async () => {
    const { calibrations } = store()
    const facts = { told: { window: 8192, tools: true }, learned: { systemRole: false }, learnedAt: 7 }
    expect(await calibrations.findFacts('a')).toBeUndefined()
    await calibrations.putFacts('a', { told: {}, learned: {}, learnedAt: 0 })
    await calibrations.putFacts('a', facts)
    expect(await calibrations.findFacts('a')).toEqual(facts)
    expect(await calibrations.findFacts('b')).toBeUndefined()
  })
}
