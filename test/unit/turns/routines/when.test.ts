import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { zoneOf } from '../../../../src/base/zone.ts'
import { instantOf, nextRun, specText, timeText } from '../../../../src/turns/routines/calendar.ts'
import { parseSpec, parseUntil, parseWhen } from '../../../../src/turns/routines/parse-when.ts'
import { UsageError } from '../../../../src/words/errors.ts'

const berlin = zoneOf('Europe/Berlin')
const utc = zoneOf('UTC')
const at = (text: string): number => Date.parse(text)
const shown = (ms: number): string => new Date(ms).toISOString().replace(':00.000Z', 'Z')

/** A Wednesday, 12:00 in Berlin. */
const NOW = at('2026-07-15T10:00:00Z')

describe('WHEN', () => {
  test.each([
    ['10m tea', '2026-07-15T10:10Z', 'tea'],
    ['in 2h  call  ann', '2026-07-15T12:00Z', 'call  ann'],
    ['18:30 tea', '2026-07-15T16:30Z', 'tea'],
    ['at 9:00 tea', '2026-07-16T07:00Z', 'tea'],
    ['12:00 tea', '2026-07-16T10:00Z', 'tea'],
    ['today 18:30', '2026-07-15T16:30Z', ''],
    ['Tomorrow at 9:00 a\nb', '2026-07-16T07:00Z', 'a\nb'],
    ['mon 9:00 tea', '2026-07-20T07:00Z', 'tea'],
    ['wednesday 9:00 tea', '2026-07-22T07:00Z', 'tea'],
    ['wed 13:00 tea', '2026-07-15T11:00Z', 'tea'],
    ['2026-12-01 09:00 tea', '2026-12-01T08:00Z', 'tea'],
  ])('the time of "%s" is %s', (written, time, rest) => {
    const parsed = parseWhen(written, NOW, berlin)
    expect([shown(parsed.at), parsed.rest]).toEqual([time, rest])
  })

  test.each([
    [
      'tomorow 9:00 tea',
      'write 10m, 2h, 18:30, tomorrow 9:00, mon 9:00 or 2026-12-01 09:00; did you mean tomorrow?',
    ],
    ['soon tea', '"soon" is no time'],
    ['tomorrow', 'a time must follow "tomorrow"; write tomorrow 09:00'],
    ['mon tea', '"tea" is no time of the day; write mon 09:00'],
    ['25:00 tea', '"25:00" is no time'],
    ['today 9:00', 'today 9:00 is over'],
    ['2026-02-30 09:00', 'there is no day 2026-02-30'],
    ['2020-01-01 09:00', '2020-01-01 09:00 is over'],
    ['2099-01-01 09:00', 'is more than ten years ahead'],
    ['', 'write 10m, 2h'],
  ])('the time of "%s" is refused with an example of a valid time', (written, why) => {
    expect(() => parseWhen(written, NOW, berlin)).toThrow(UsageError)
    expect(() => parseWhen(written, NOW, berlin)).toThrow(why)
  })

  test('an end date includes its whole day in the zone', () => {
    expect(shown(parseUntil('2026-12-31', NOW, berlin))).toBe('2026-12-31T23:00Z')
    expect(() => parseUntil('31.12.', NOW, berlin)).toThrow('write it as 2026-12-31')
    expect(() => parseUntil('2026-07-14', NOW, berlin)).toThrow('is over')
  })
})

describe('SPEC', () => {
  test.each([
    ['30m tea', '30m', 'tea'],
    ['day 09:00 tea', 'day 09:00', 'tea'],
    ['daily at 9:00 tea', 'day 09:00', 'tea'],
    ['mon-fri 9:00 tea', 'mon-fri 09:00', 'tea'],
    ['weekdays 09:00 @qwen sum up', 'mon-fri 09:00', '@qwen sum up'],
    ['mon,thu 18:00 tea', 'mon,thu 18:00', 'tea'],
    ['fri-mon,wed 18:00 tea', 'mon,wed,fri-sun 18:00', 'tea'],
    ['Monday 0:05 tea', 'mon 00:05', 'tea'],
    ['month 1 09:00 tea', 'month 1 09:00', 'tea'],
    ['month 31 23:59', 'month 31 23:59', ''],
  ])('the calendar of "%s" is %s', (written, text, rest) => {
    const parsed = parseSpec(written)
    expect([specText(parsed.spec), parsed.rest]).toEqual([text, rest])
  })

  test.each([
    ['mno-fri 9:00', '"mno-fri" is no calendar'],
    ['mond 9:00', 'write 30m, day 09:00, mon-fri 09:00, mon,thu 18:00 or month 1 09:00; did you mean mon?'],
    ['mon-wed-fri 9:00', 'is no calendar'],
    ['mon,, 9:00', 'is no calendar'],
    ['day tea', '"tea" is no time of the day; write day 09:00'],
    ['day', 'a time must follow "day"'],
    ['month 0 9:00', 'is no day of a month'],
    ['month 9:00', '"month 9:00" is no day of a month'],
    ['0m tea', 'is no calendar'],
  ])('the calendar of "%s" is refused with an example of a valid one', (written, why) => {
    expect(() => parseSpec(written)).toThrow(UsageError)
    expect(() => parseSpec(written)).toThrow(why)
  })
})

describe('the next run', () => {
  const runs = (written: string, after: string, count: number, zone = berlin): readonly string[] => {
    const { spec } = parseSpec(written)
    const found: number[] = []
    for (let last = at(after); found.length < count; found.push(last))
      last = nextRun(spec, zone, last, at(after))
    return found.map(shown)
  }

  test('a daily run keeps its local time when daylight time begins and ends', () => {
    expect(runs('day 09:00', '2026-03-28T00:00Z', 2)).toEqual(['2026-03-28T08:00Z', '2026-03-29T07:00Z'])
    expect(runs('day 09:00', '2026-10-24T00:00Z', 2)).toEqual(['2026-10-24T07:00Z', '2026-10-25T08:00Z'])
  })

  test('a daily run whose time the zone skips runs at the next existing time', () => {
    expect(runs('day 02:30', '2026-03-28T00:00Z', 3)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ])
  })

  test('a daily run whose time comes twice in the zone runs once', () => {
    expect(runs('day 02:30', '2026-10-24T00:00Z', 3)).toEqual([
      '2026-10-24T00:30Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ])
    // Between both.
    expect(runs('day 02:30', '2026-10-25T01:00Z', 1)).toEqual(['2026-10-26T01:30Z'])
  })

  test('a daily run on a day that the zone skips runs at the start of the next day', () => {
    const apia = zoneOf('Pacific/Apia')
    expect(runs('day 12:00', '2011-12-29T00:00Z', 3, apia)).toEqual([
      '2011-12-29T22:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T22:00Z',
    ])
  })

  test('a daily run follows a half-hour clock change in a zone with a half-hour offset', () => {
    const howe = zoneOf('Australia/Lord_Howe')
    expect(shown(instantOf(at('2026-10-04T02:15Z'), howe))).toBe('2026-10-03T15:30Z')
    expect(timeText(at('2026-10-03T15:30Z'), howe)).toBe('2026-10-04 02:30 Australia/Lord_Howe')
  })

  test('a run on day 31 is on the last day of a shorter month', () => {
    expect(runs('month 31 09:00', '2028-01-31T09:00Z', 3, utc)).toEqual([
      '2028-02-29T09:00Z',
      '2028-03-31T09:00Z',
      '2028-04-30T09:00Z',
    ])
    expect(runs('month 1 09:00', '2026-12-01T09:00Z', 2, utc)).toEqual([
      '2027-01-01T09:00Z',
      '2027-02-01T09:00Z',
    ])
  })

  test('a weekly run is only on the named days of the week', () => {
    expect(runs('mon,thu 18:00', '2026-07-15T00:00Z', 3, utc)).toEqual([
      '2026-07-16T18:00Z',
      '2026-07-20T18:00Z',
      '2026-07-23T18:00Z',
    ])
  })

  test('the runs of an interval keep their interval after a late run', () => {
    const { spec } = parseSpec('30m')
    expect(shown(nextRun(spec, utc, at('2026-07-15T11:17Z'), at('2026-07-15T10:00Z')))).toBe(
      '2026-07-15T11:30Z',
    )
  })

  test('a daily run comes on each local day once, in any zone at any time', () => {
    const zones = ['Europe/Berlin', 'America/St_Johns', 'Africa/Casablanca', 'Asia/Kathmandu'].map(zoneOf)
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: at('2000-01-01'), max: at('2040-01-01') }),
        fc.integer({ min: 0, max: 1439 }),
        (zone, start, minute) => {
          const spec = { every: 'week', days: [0, 1, 2, 3, 4, 5, 6], minute } as const
          const first = nextRun(spec, zone, start, start)
          const second = nextRun(spec, zone, first, first)
          const day = (ms: number): number => Math.floor(zone.local(ms) / 86_400_000)
          expect(first).toBeGreaterThan(start)
          expect(day(second) - day(first)).toBe(1)
          expect(nextRun(spec, zone, second - 1, first)).toBe(second)
        },
      ),
      { numRuns: 200 },
    )
  })
})
