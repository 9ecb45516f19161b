/** A value that knows which of its keys were read. */
export interface RecordedReads<T> {
  /** Behaves as the original does, but cannot be copied whole: a key that is only copied may be read by nobody. */
  readonly recorded: T
  /** Paths of the keys that nobody has read yet: `limits.turn_s`, `models[].name`. */
  unread(): readonly string[]
}

/** Records reads in the objects at these paths; what is elsewhere is handed out as it is. */
export function recordReads<T extends object>(original: T, parts: ReadonlySet<string>): RecordedReads<T> {
  const all = new Set<string>()
  const read = new Set<string>()

  function wrap(value: unknown, path: string): unknown {
    if (Array.isArray(value) && parts.has(`${path}[]`)) return value.map((one) => wrap(one, `${path}[]`))
    return typeof value === 'object' && value !== null && parts.has(path) ? watched(value, path) : value
  }

  function watched(part: object, path: string): object {
    const paths = new Map(Object.keys(part).map((key) => [key, path === '' ? key : `${path}.${key}`]))
    for (const leaf of paths.values()) all.add(leaf)
    const entries = Object.entries(part).map(([key, value]) => [key, wrap(value, paths.get(key) ?? key)])
    return new Proxy(Object.fromEntries(entries) as object, {
      get(target, key) {
        read.add(paths.get(String(key)) ?? '')
        return Reflect.get(target, key) as unknown
      },
      ownKeys(target) {
        if (path !== '') throw new Error(`the config's part ${path} is copied: hand it over as it is`)
        return Reflect.ownKeys(target)
      },
    })
  }

  return {
    recorded: wrap(original, '') as T,
    unread: () => [...all].filter((path) => !read.has(path)),
  }
}
