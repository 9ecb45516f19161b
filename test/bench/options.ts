import { parseArgs } from 'node:util'

/** A number, a list of numbers, a text, or whether a flag is there. */
type Value = number | readonly number[] | string | boolean

/** What a run is given as `--NAME VALUE`, else as in `defaults`. Throws with a line for the person. */
export function readOptions<T extends Readonly<Record<string, Value>>>(
  args: readonly string[],
  defaults: T,
): T {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values } = parseArgs({ args: [...args], options })
  const given = Object.entries(values).map(([name, value]) => [name, valueOf(name, value, defaults[name])])
  return { ...defaults, ...(Object.fromEntries(given) as Partial<T>) }
}

function valueOf(
  name: string,
  value: string | boolean | undefined,
  like: Value | undefined,
): Value | undefined {
  if (typeof value !== 'string' || typeof like === 'string') return value
  const numbers = value.split(',').map((part) => {
    if (!/^\d{1,6}$/.test(part)) throw new Error(`--${name} takes whole numbers, not "${part}"`)
    return Number(part)
  })
  return typeof like === 'number' ? numbers[0] : numbers
}
