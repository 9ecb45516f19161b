/** Frees a slot. A second call does nothing. */
export type Release = () => void

/** Counts slots in use per key, up to a limit that is read each time. */
export class Quota {
  readonly #limit: () => number
  readonly #used = new Map<string, number>()

  constructor(limit: () => number) {
    this.#limit = limit
  }

  isFull(key: string, limit = this.#limit()): boolean {
    return (this.#used.get(key) ?? 0) >= limit
  }

  /** Takes a slot; undefined if the limit is reached. */
  take(key: string, limit?: number): Release | undefined {
    if (this.isFull(key, limit)) return undefined
    this.#change(key, 1)
    return once(() => this.#change(key, -1))
  }

  #change(key: string, by: 1 | -1): void {
    const count = (this.#used.get(key) ?? 0) + by
    if (count > 0) this.#used.set(key, count)
    else this.#used.delete(key)
  }
}

/** Takes a slot in each quota, or none at all. */
export function takeAll(...wanted: readonly (readonly [Quota, string, number?])[]): Release | undefined {
  const releases: Release[] = []
  const release = once(() => releases.forEach((one) => one()))
  for (const [quota, key, limit] of wanted) {
    const one = quota.take(key, limit)
    if (!one) return (release(), undefined)
    releases.push(one)
  }
  return release
}

function once(action: () => void): Release {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}
