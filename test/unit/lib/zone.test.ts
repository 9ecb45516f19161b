import fc from 'fast-check'
import { expect, test } from 'vitest'
import { zoneName, zoneOf } from '../../../src/lib/zone.ts'

test('a clock shows the same as Intl, summer time and odd offsets included, in whatever order it is asked', () => {
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
  'what names no zone (%s) is UTC',
  (name) => {
    const zone = zoneOf(name)
    expect([zone.name, zone.local(12_345)]).toEqual(['UTC', 12_345])
  },
)

test('a zone is known by its IANA name in any case, and an offset is no name', () => {
  expect(['europe/berlin', 'UTC', ':Asia/Tokyo'].map(zoneName)).toEqual([
    'Europe/Berlin',
    'UTC',
    'Asia/Tokyo',
  ])
  for (const word of ['', '+02:00', 'berlin', '../x', 'Europe/Berlim']) expect(zoneName(word)).toBeUndefined()
})
