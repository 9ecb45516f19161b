import { DAY_MS, duration } from '../../base/amounts.ts'
import type { Zone } from '../../base/zone.ts'

/** When a `calendar` routine runs. Days of the week are 0 (Sunday) to 6; `minute` is of the day. */
export type Spec =
  | { readonly every: 'interval'; readonly ms: number }
  | { readonly every: 'week'; readonly days: readonly number[]; readonly minute: number }
  /** In a shorter month, the last day. */
  | { readonly every: 'month'; readonly day: number; readonly minute: number }

export const MINUTE_MS = 60_000

export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** Zones change their offset at multiples of this (base/zone.ts). */
const SLOT_MS = 900_000
/** An upper bound of the difference between a local time, read as UTC, and its instant in any zone. */
const AROUND_MS = 26 * 3_600_000

/** `local`: local time read as UTC. Returns the first of two instants; of a skipped time, the gap's end. */
export function instantOf(local: number, zone: Zone): number {
  const offsets = [local - AROUND_MS, local + AROUND_MS].map((at) => zone.local(at) - at)
  const first = local - Math.max(...offsets)
  const last = local - Math.min(...offsets)
  for (const at of [first, last]) if (zone.local(at) === local) return at
  let at = Math.floor(first / SLOT_MS) * SLOT_MS
  while (zone.local(at) < local) at += SLOT_MS
  return at
}

/** Runs of an interval count from `previous`, the time of an earlier run or of the routine's start. */
export function nextRun(spec: Spec, zone: Zone, after: number, previous: number): number {
  if (spec.every === 'interval')
    return previous + (Math.max(0, Math.floor((after - previous) / spec.ms)) + 1) * spec.ms
  for (const midnight of spec.every === 'week' ? weekdays(spec, zone, after) : monthDays(spec, zone, after)) {
    const at = instantOf(midnight + spec.minute * MINUTE_MS, zone)
    if (at > after) return at
  }
  throw new Error('a calendar has no next day')
}

const midnightOf = (at: number, zone: Zone): number => Math.floor(zone.local(at) / DAY_MS) * DAY_MS

/** Begins yesterday, because a skipped time may end today. */
function* weekdays({ days }: { readonly days: readonly number[] }, zone: Zone, after: number) {
  const today = midnightOf(after, zone)
  for (let day = -1; day <= 8; day++) {
    const midnight = today + day * DAY_MS
    if (days.includes(new Date(midnight).getUTCDay())) yield midnight
  }
}

function* monthDays({ day }: { readonly day: number }, zone: Zone, after: number) {
  const today = new Date(midnightOf(after, zone))
  for (let month = -1; month <= 2; month++) {
    const [year, index] = [today.getUTCFullYear(), today.getUTCMonth() + month]
    const lastDay = new Date(Date.UTC(year, index + 1, 0)).getUTCDate()
    yield Date.UTC(year, index, Math.min(day, lastDay))
  }
}

/** The form in which a person writes the spec: `30m`, `day 09:00`, `mon-fri 09:00`, `month 1 09:00`. */
export function specText(spec: Spec): string {
  if (spec.every === 'interval') return duration(spec.ms)
  const time = new Date(spec.minute * MINUTE_MS).toISOString().slice(11, 16)
  return spec.every === 'month' ? `month ${spec.day} ${time}` : `${daysText(spec.days)} ${time}`
}

const WEEK = [1, 2, 3, 4, 5, 6, 0]

function daysText(days: readonly number[]): string {
  if (days.length === DAYS.length) return 'day'
  const runs: number[][] = []
  for (const day of WEEK.filter((one) => days.includes(one))) {
    const run = runs.at(-1)
    if (run && (day + 6) % 7 === run.at(-1)) run.push(day)
    else runs.push([day])
  }
  return runs
    .map((run) =>
      run.length < 3 ? run.map((day) => DAYS[day]).join(',') : `${DAYS[run[0]!]}-${DAYS[run.at(-1)!]}`,
    )
    .join(',')
}

/** `2026-12-01 09:00 Europe/Berlin`. */
export const timeText = (at: number, zone: Zone): string =>
  `${new Date(zone.local(at)).toISOString().slice(0, 16).replace('T', ' ')} ${zone.name}`
