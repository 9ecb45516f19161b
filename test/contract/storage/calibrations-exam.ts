import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'

/** What a calibration store must do; `store` gives that of the running test. */
export function calibrationsExam(store: () => Storage): void {
  test('the storage keeps the last calibration of each model', async () => {
    const { calibrations } = store().models
    expect(await calibrations.find('a')).toBeUndefined()
    await calibrations.put('a', { factor: 1.25, reports: 3, doubted: 0, at: 5, most: 1, mostAt: 0 })
    const last = { factor: 1.5, reports: 4, doubted: 2, at: 6, most: 1.75, mostAt: 6 }
    await calibrations.put('a', last)
    expect(await calibrations.find('a')).toEqual(last)
    expect(await calibrations.find('b')).toBeUndefined()
  })
}
