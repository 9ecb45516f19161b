import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'

/** What a calibration store must do; `store` gives the one of the running test. */
export function calibrationsExam(store: () => Storage): void {
  const known = { factor: 1.25, reports: 3, at: 5 }

  test('keeps what a change gives, model by model, and hands it to the next change', async () => {
    const { calibrations } = store()
    expect(await calibrations.find('a')).toBeUndefined()
    await calibrations.change('a', (before) => {
      expect(before).toBeUndefined()
      return known
    })
    await calibrations.change('a', (before) => ({ ...before!, reports: before!.reports + 1, at: 6 }))
    expect(await calibrations.find('a')).toEqual({ factor: 1.25, reports: 4, at: 6 })
    expect(await calibrations.find('b')).toBeUndefined()
  })

  test('stores nothing where a change gives nothing', async () => {
    const { calibrations } = store()
    await calibrations.change('a', () => undefined)
    expect(await calibrations.find('a')).toBeUndefined()
  })

  test('loses none of many changes at once', async () => {
    const { calibrations } = store()
    const more = (before: typeof known | undefined) => ({ ...known, reports: (before?.reports ?? 0) + 1 })
    await Promise.all(Array.from({ length: 50 }, () => calibrations.change('a', more)))
    expect(await calibrations.find('a')).toMatchObject({ reports: 50 })
  })
}
