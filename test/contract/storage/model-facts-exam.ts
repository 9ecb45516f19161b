import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'

/** What a store of model facts must do; `store` gives the one of the running test. */
export function modelFactsExam(store: () => Storage): void {
  test('keeps what was last known of each model', async () => {
    const { facts: kept } = store().models
    const facts = { told: { window: 8192, tools: true }, learned: { systemRole: false }, learnedAt: 7 }
    expect(await kept.find('a')).toBeUndefined()
    await kept.put('a', { told: {}, learned: {}, learnedAt: 0 })
    await kept.put('a', facts)
    expect(await kept.find('a')).toEqual(facts)
    expect(await kept.find('b')).toBeUndefined()
  })
}
