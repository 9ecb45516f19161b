/** Resolves once all of the work has settled, however it ends, or after `ms` milliseconds. Never rejects. */
export async function settledWithin(ms: number, work: Iterable<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled(work), late])
  clearTimeout(timer)
}
