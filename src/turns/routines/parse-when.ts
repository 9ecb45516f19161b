import { DAY_MS, parseDuration } from '../../base/amounts.ts'
import { didYouMean } from '../../base/suggest.ts'
import type { Zone } from '../../base/zone.ts'
import { UsageError } from '../../words/errors.ts'
import { DAYS, instantOf, MINUTE_MS, nextRun, type Spec } from './calendar.ts'

const WHEN_FORMS = '10m, 2h, 18:30, tomorrow 9:00, mon 9:00 or 2026-12-01 09:00'
const SPEC_FORMS = '30m, day 09:00, mon-fri 09:00, mon,thu 18:00 or month 1 09:00'

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]
const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Other words for days that people write. */
const NAMED_DAYS: ReadonlyMap<string, string> = new Map([
  ['daily', 'day'],
  ['weekday', 'mon-fri'],
  ['weekdays', 'mon-fri'],
  ['weekend', 'sat,sun'],
])

const WHEN_WORDS = ['today', 'tomorrow', ...DAYS, ...DAY_NAMES]
const SPEC_WORDS = ['day', 'month', ...DAYS, ...DAY_NAMES, ...NAMED_DAYS.keys()]

const MAX_AHEAD_MS = 3_650 * DAY_MS

/** Parses WHEN at a text's beginning; `18:30` and `mon 9:00` are the next such time. Throws `UsageError`. */
export function parseWhen(
  text: string,
  now: number,
  zone: Zone,
): { readonly at: number; readonly rest: string } {
  const [first, afterFirst] = nextWord(text.trimStart().replace(/^(in|at)\s+/i, ''))
  const ms = parseDuration(first)
  if (ms !== undefined) return { at: now + ms, rest: afterFirst }
  const minute = minuteOf(first)
  if (minute !== undefined) return { at: nextAt(EVERY_DAY, minute, now, zone), rest: afterFirst }
  const [second, rest] = nextWord(afterFirst.replace(/^at\s+/i, ''))
  return { at: dayAndTime(first, second, now, zone), rest }
}

/** Parses SPEC at a text's beginning. Throws `UsageError`. */
export function parseSpec(text: string): { readonly spec: Spec; readonly rest: string } {
  const [first, afterFirst] = nextWord(text.trimStart())
  const ms = parseDuration(first)
  if (ms !== undefined) return { spec: { every: 'interval', ms }, rest: afterFirst }
  if (first === 'month') {
    const [day, afterDay] = nextWord(afterFirst)
    if (!/^\d{1,2}$/.test(day) || Number(day) < 1 || Number(day) > 31)
      throw new UsageError(
        `"month ${day}" is no day of a month; write month 1 09:00, or month 31 for the last day`,
      )
    const [time, rest] = nextWord(afterDay)
    return { spec: { every: 'month', day: Number(day), minute: needMinute(`month ${day}`, time) }, rest }
  }
  const days = daysOf(first)
  if (!days)
    throw new UsageError(`"${first}" is no calendar: write ${SPEC_FORMS}${didYouMean(first, SPEC_WORDS)}`)
  const [time, rest] = nextWord(afterFirst.replace(/^at\s+/i, ''))
  return { spec: { every: 'week', days, minute: needMinute(first, time) }, rest }
}

/** Parses the day of `--until 2026-12-31`, and returns the end of that day. Throws `UsageError`. */
export function parseUntil(word: string, now: number, zone: Zone): number {
  const day = dateOf(word)
  if (day === undefined) throw new UsageError(`"${word}" is no date; write it as 2026-12-31`)
  return assertAhead(instantOf(day + DAY_MS, zone), word, now)
}

function nextWord(text: string): readonly [string, string] {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(text) ?? []
  return [word.toLowerCase(), rest]
}

/** The minute of the day of `9:00` or `18:30`. */
function minuteOf(word: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(word) ?? []
  const isTime = hours !== undefined && Number(hours) < 24 && Number(minutes) < 60
  return isTime ? Number(hours) * 60 + Number(minutes) : undefined
}

function needMinute(day: string, time: string): number {
  const minute = minuteOf(time)
  if (minute !== undefined) return minute
  const why = time === '' ? `a time must follow "${day}"` : `"${time}" is no time of the day`
  throw new UsageError(`${why}; write ${day} 09:00`)
}

const nextAt = (days: readonly number[], minute: number, now: number, zone: Zone): number =>
  nextRun({ every: 'week', days, minute }, zone, now, now)

function dayAndTime(day: string, time: string, now: number, zone: Zone): number {
  const weekday = dayOf(day)
  if (weekday !== undefined) return nextAt([weekday], needMinute(day, time), now, zone)
  const today = Math.floor(zone.local(now) / DAY_MS) * DAY_MS
  const midnight = day === 'today' ? today : day === 'tomorrow' ? today + DAY_MS : dateOf(day)
  if (midnight === undefined)
    throw new UsageError(`"${day}" is no time: write ${WHEN_FORMS}${didYouMean(day, WHEN_WORDS)}`)
  const at = instantOf(midnight + needMinute(day, time) * MINUTE_MS, zone)
  return assertAhead(at, `${day} ${time}`, now)
}

function assertAhead(at: number, written: string, now: number): number {
  if (at <= now) throw new UsageError(`${written} is over; write a time to come`)
  if (at - now > MAX_AHEAD_MS) throw new UsageError(`${written} is more than ten years ahead`)
  return at
}

/** The midnight of `2026-12-01`, by a UTC clock. Throws `UsageError` for a day that does not exist. */
function dateOf(word: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(word)) return undefined
  const midnight = Date.parse(`${word}T00:00:00Z`)
  // Some JavaScript engines parse February 30 as March 2.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(word))
    throw new UsageError(`there is no day ${word}`)
  return midnight
}

function dayOf(word: string): number | undefined {
  const day = DAYS.findIndex((name, index) => word === name || word === DAY_NAMES[index])
  return day === -1 ? undefined : day
}

/** The days of `day`, `mon`, `mon-fri`, `fri-mon` or `mon,thu`. */
function daysOf(word: string): readonly number[] | undefined {
  const written = NAMED_DAYS.get(word) ?? word
  if (written === 'day') return EVERY_DAY
  const days = new Set<number>()
  for (const part of written.split(',')) {
    const [from, to = from] = part.split('-', 3).map(dayOf)
    if (from === undefined || to === undefined || part.split('-').length > 2) return undefined
    for (let day = from; ; day = (day + 1) % 7) {
      days.add(day)
      if (day === to) break
    }
  }
  return [...days].toSorted((a, b) => a - b)
}
