import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'

/** What a calibration store must do; `store` gives the one of the running test. */
export function calibrationsExam(store: () => Storage): void {
  test('keeps the last calibration of each model', async () => {
    const { calibrations } = store().models
    expect(await calibrations.find('a')).toBeUndefined()
    await calibrations.put('a', { factor: 1.25, reports: 3, doubted: 0, at: 5 })
    await calibrations.put('a', { factor: 1.5, reports: 4, doubted: 2, at: 6 })
    expect(await calibrations.find('a')).toEqual({ factor: 1.5, reports: 4, doubted: 2, at: 6 })
    expect(await calibrations.find('b')).toBeUndefined()
  })
}
