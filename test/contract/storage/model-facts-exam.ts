import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'

/** What a store of model facts must do; `store` gives the one of the running test. */
export function modelFactsExam(store: () => Storage): void {
  test('keeps what was last known of each model', async () => {
    const { modelFacts } = store()
    const facts = { told: { window: 8192, tools: true }, learned: { systemRole: false }, learnedAt: 7 }
    expect(await modelFacts.find('a')).toBeUndefined()
    await modelFacts.put('a', { told: {}, learned: {}, learnedAt: 0 })
    await modelFacts.put('a', facts)
    expect(await modelFacts.find('a')).toEqual(facts)
    expect(await modelFacts.find('b')).toBeUndefined()
  })
}
