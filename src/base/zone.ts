export interface Zone {
  /** An `Intl` name, such as `UTC` or `Europe/Berlin`. */
  readonly name: string
  /** Returns the time at which a UTC clock shows what this zone's clock shows at `at`. Never throws. */
  local(at: number): number
}

/** All offset changes of the last hundred years happen at multiples of this time. */
const SLOT_MS = 900_000

/** A constant, because most sessions use UTC, and an `Intl` format takes tens of kilobytes. */
export const UTC: Zone = { name: 'UTC', local: (at) => at }

/** Returns the zone by its `TZ` name; UTC for an unknown name. */
export function zoneOf(name: string): Zone {
  const format = formatFor(name)
  if (!format) return UTC
  let slot = NaN
  let offset = 0
  return {
    name: format.resolvedOptions().timeZone,
    local(at) {
      const now = Math.floor(at / SLOT_MS)
      if (now !== slot) offset = offsetIn(format, now * SLOT_MS)
      slot = now
      return at + offset
    },
  }
}

/** Normalizes `europe/berlin` to `Europe/Berlin`; undefined for a name that IANA does not list. */
export function zoneName(word: string): string | undefined {
  // `Intl` also accepts fixed offsets, which have no daylight saving time.
  if (!/^:?[a-z]/i.test(word)) return undefined
  return formatFor(word)?.resolvedOptions().timeZone
}

/** The zone names for completion; `Intl` also knows older names. */
export const zoneNames = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]

function formatFor(name: string): Intl.DateTimeFormat | undefined {
  const timeZone = name.replace(/^:/, '')
  if (timeZone === '') return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}

/** Parses an offset such as `GMT+05:30` or `GMT-03:30:52`; `GMT` is no offset. */
function offsetIn(format: Intl.DateTimeFormat, at: number): number {
  const shown = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(shown) ?? []
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}
