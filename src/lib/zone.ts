export interface Zone {
  /** As `Intl` knows it: `UTC`, `Europe/Berlin`. */
  readonly name: string
  /** The time at which a clock in UTC shows what one here shows `at`. Never throws. */
  local(at: number): number
}

/** All changes of clocks in the last hundred years are at such times. */
const SLOT_MS = 900_000

/** Most sessions have it, and a format of `Intl` takes tens of kilobytes. */
export const UTC: Zone = { name: 'UTC', local: (at) => at }

/** By its name, as `TZ` has it; UTC for an unknown name. */
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

/** `Europe/Berlin` for `europe/berlin`; undefined for a name that IANA does not list. */
export function zoneName(word: string): string | undefined {
  // `Intl` takes offsets, too, which know no summer time.
  if (!/^:?[a-z]/i.test(word)) return undefined
  return formatFor(word)?.resolvedOptions().timeZone
}

/** The names for completion: `Intl` knows older ones, too. */
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

/** `GMT+05:30`, `GMT-03:30:52`, or `GMT` for none. */
function offsetIn(format: Intl.DateTimeFormat, at: number): number {
  const shown = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(shown) ?? []
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}
