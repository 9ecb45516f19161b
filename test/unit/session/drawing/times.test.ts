import { expect, test } from 'vitest'
import { zoneOf } from '../../../../src/lib/zone.ts'
import { dayLine, dayOf, timeColumn } from '../../../../src/session/drawing/time-column.ts'

const at = Date.UTC(2026, 10, 22, 23, 24, 5)

test('times are those that clocks in the zone show, with date and seconds where there is room and they are asked for', () => {
  const berlin = zoneOf('Europe/Berlin')
  const texts = (['minutes', 'full'] as const).map((kind) => timeColumn(kind, berlin, 200)?.textAt(at))
  expect(texts).toEqual(['00:24 ', '2026-11-23 00:24:05 '])
  for (const kind of ['minutes', 'full'] as const) {
    const column = timeColumn(kind, berlin, 200)
    expect(column?.textAt(at)).toHaveLength(column?.cells ?? 0)
  }
  expect(timeColumn('full', berlin, 80)?.textAt(at)).toBe('00:24 ')
  expect(timeColumn('full', berlin, 29)).toBeUndefined()
})

test('a day begins at midnight of the zone, and its line names both', () => {
  const zones = [zoneOf('UTC'), zoneOf('Europe/Berlin')]
  expect(zones.map((zone) => dayLine(dayOf(at, zone), zone))).toEqual([
    '-- Sunday 22 November 2026 (UTC)',
    '-- Monday 23 November 2026 (Europe/Berlin)',
  ])
})
