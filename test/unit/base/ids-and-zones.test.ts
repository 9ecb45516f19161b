import fc from 'fast-check'
import { expect, test } from 'vitest'
import { zoneName, zoneOf } from '../../../src/base/zone.ts'
import { createIds } from '../../../src/base/ids.ts'

test('the local time of a zone agrees with Intl for daylight saving time and odd offsets', () => {
  const zones = ['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Apia', 'UTC', ':Asia/Tokyo']
  const ats = fc.array(fc.integer({ min: 0, max: Date.UTC(2040, 0, 1) }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), ats, (name, times) => {
      const zone = zoneOf(name)
      const format = new Intl.DateTimeFormat('sv', {
        timeZone: name.replace(/^:/, ''),
        dateStyle: 'short',
        timeStyle: 'medium',
      })
      for (const at of times)
        expect(new Date(zone.local(at)).toISOString().slice(0, 19).replace('T', ' ')).toBe(format.format(at))
    }),
  )
})

test.each(['', 'Nowhere/Else', 'CET-1CEST', '../../etc/passwd', 'x'.repeat(256), ':'])(
  'the unknown zone name "%s" falls back to UTC',
  (name) => {
    const zone = zoneOf(name)
    expect([zone.name, zone.local(12_345)]).toEqual(['UTC', 12_345])
  },
)

test('zoneName accepts IANA names in any case and rejects offsets', () => {
  expect(['europe/berlin', 'UTC', ':Asia/Tokyo'].map(zoneName)).toEqual([
    'Europe/Berlin',
    'UTC',
    'Asia/Tokyo',
  ])
  for (const word of ['', '+02:00', 'berlin', '../x', 'Europe/Berlim']) expect(zoneName(word)).toBeUndefined()
})

test('ids sort in the order of creation even if the clock stands still', () => {
  const next = createIds({ now: () => 1_700_000_000_000 })
  const ids = Array.from({ length: 1000 }, next)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(1000)
})

test('ids sort after the last known one even if the clock went back', () => {
  const last = createIds({ now: () => 1_700_000_000_000 })()
  const next = createIds({ now: () => 1_600_000_000_000 }, last)
  const ids = [last, next(), next()]
  expect(ids.toSorted()).toEqual(ids)
})

test('ids keep their order if the clock goes back between two of them', () => {
  const times = [5_000, 4_000, 4_500, 6_000]
  const next = createIds({ now: () => times.shift() ?? 0 })
  const ids = [next(), next(), next(), next()]
  expect(ids.toSorted()).toEqual(ids)
})

test('no two ids have the same random part', () => {
  let now = 0
  const next = createIds({ now: () => (now += 1) })
  const chances = Array.from({ length: 1000 }, () => next().slice(10))
  expect(new Set(chances).size).toBe(1000)
})

test('a last id that is no ULID is rejected', () => {
  expect(() => createIds({ now: () => 0 }, 'newest')).toThrow('not a ULID: "newest"')
})
