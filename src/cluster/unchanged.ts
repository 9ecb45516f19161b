/** Tells which values have not changed for long, by one clock of this server. */
export interface Unchanged<Key> {
  /** These are all values now. Returns those that have been the same for so many milliseconds. */
  since(values: ReadonlyMap<Key, string>, now: number, ms: number): ReadonlyMap<Key, string>
  /** Nobody looked for a while: all of them count from the next look on. */
  forget(): void
}

export function createUnchanged<Key>(): Unchanged<Key> {
  let seen = new Map<Key, { readonly value: string; readonly at: number }>()
  return {
    since(values, now, ms) {
      seen = new Map(
        [...values].map(([key, value]) => {
          const before = seen.get(key)
          return [key, before?.value === value ? before : { value, at: now }]
        }),
      )
      return new Map([...values].filter(([key]) => now - (seen.get(key)?.at ?? now) >= ms))
    },
    forget: () => seen.clear(),
  }
}
