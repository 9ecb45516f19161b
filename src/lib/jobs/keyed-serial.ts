/** Runs jobs that have a key in common one after the other, in the order of the calls. A job that fails stops no other. */
export type KeyedSerial<Key> = <T>(key: Key, job: () => Promise<T>) => Promise<T>

/** Keeps nothing of a key whose jobs are done. */
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
