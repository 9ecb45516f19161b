/** Runs a job after all earlier jobs, even failed jobs. Settles as the job does. */
export type Serial = <T>(job: () => T | Promise<T>) => Promise<T>

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const result = last.then(job)
    last = result.catch(() => undefined)
    return result
  }
}

export type KeyedSerial<Key> = <T>(key: Key, job: () => Promise<T>) => Promise<T>

export function createKeyedSerial<Key>(): KeyedSerial<Key> {
  const last = new Map<Key, Promise<unknown>>()
  return async (key, job) => {
    const mine = (last.get(key) ?? Promise.resolve()).catch(() => undefined).then(job)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

interface InLine {
  readonly owner: string
}

/** Returns the first entry whose owner runs no job, or else the first entry. */
export function nextInLine<One extends InLine>(
  running: Iterable<InLine>,
  waiting: Iterable<One>,
): One | undefined {
  const busy = new Set([...running].map(({ owner }) => owner))
  const line = [...waiting]
  return line.find(({ owner }) => !busy.has(owner)) ?? line[0]
}
