import { expect } from 'vitest'
import type { KillReport } from './kill-under-load.ts'

/** What anybody saw is stored, once, in the order in which each saw it. */
export function expectNothingLost({ shown, stored, damage }: KillReport): void {
  const place = new Map(stored.map((line, at) => [line, at]))
  expect(place.size, 'no line is stored twice').toBe(stored.length)
  expect(shown.flat().filter((line) => !place.has(line))).toEqual([])
  for (const lines of shown) {
    const places = lines.map((line) => place.get(line) ?? -1)
    expect(places, 'in the order of the log').toEqual(places.toSorted((a, b) => a - b))
    expect(new Set(lines).size, 'no line is shown twice').toBe(lines.length)
  }
  expect(shown.flat().length).toBeGreaterThan(shown.length)
  expect(damage).toBeUndefined()
}
