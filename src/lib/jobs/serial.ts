/** Runs a job after all earlier ones; resolves or rejects with that job's own outcome. */
export type Serial = <T>(job: () => T | Promise<T>) => Promise<T>

/** Runs jobs one after the other in the order of calling; a failed job does not stop the next. */
export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const result = last.then(job)
    last = result.catch(() => undefined)
    return result
  }
}
