/** Runs a job at once, or after the last job with the same key. */
export type InOrder = (key: string, job: () => Promise<void>) => Promise<void>

/** Keeps a key only while a job with it runs. The jobs must not reject. */
export function createInOrder(): InOrder {
  const last = new Map<string, Promise<void>>()
  return async (key, job) => {
    const before = last.get(key)
    const done = before ? before.then(job) : job()
    last.set(key, done)
    await done
    if (last.get(key) === done) last.delete(key)
  }
}
