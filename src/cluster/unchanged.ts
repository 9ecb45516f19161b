/** Tells which values have not changed for long, by one clock of this server. */
export interface Unchanged<Key> {
  /**
   * These are all values that one look found. Returns those that have certainly been the same for so many milliseconds, whenever
   * within the look each was read.
   */
  since(values: ReadonlyMap<Key, string>, look: LookTime, ms: number): ReadonlyMap<Key, string>
  /** Nobody looked for a while: all of them count from the next look on. */
  forget(): void
}

/** When a look began and ended, in milliseconds by any clock that never steps back. */
export interface LookTime {
  readonly asked: number
  readonly answered: number
}

export function createUnchanged<Key>(): Unchanged<Key> {
  let seen = new Map<Key, { readonly value: string; readonly at: number }>()
  return {
    since(values, { asked, answered }, ms) {
      seen = new Map(
        [...values].map(([key, value]) => {
          const before = seen.get(key)
          return [key, before?.value === value ? before : { value, at: answered }]
        }),
      )
      return new Map([...values].filter(([key]) => asked - (seen.get(key)?.at ?? answered) >= ms))
    },
    forget: () => seen.clear(),
  }
}
