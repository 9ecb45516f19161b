/** What the queue must know of a job. */
interface Owned {
  /** Whom it is for. */
  readonly owner: string
}

/** Jobs in line, by whom they are for. */
export interface FairQueue<Job extends Owned> {
  add(job: Job): void
  /** Takes the next job that may be served now; undefined if there is none. */
  take(mayServe: (job: Job) => boolean): Job | undefined
  remove(job: Job): void
  /** How many jobs this owner has in line. */
  waiting(owner: string): number
  /** All who have jobs in line. */
  owners(): Iterable<string>
  /** Empties the queue. */
  drain(): readonly Job[]
}

/**
 * The job with the least load comes first. Among equals the owners are served in turn, each one's jobs in
 * their order: however many jobs one adds, each other waits for at most one of them at a time.
 */
export function createFairQueue<Job extends Owned>(load: (job: Job) => number): FairQueue<Job> {
  /** In the order in which the owners were last served. */
  const lines = new Map<string, Job[]>()

  function drop(job: Job): void {
    const line = lines.get(job.owner)
    const index = line?.indexOf(job) ?? -1
    if (index >= 0) line?.splice(index, 1)
    if (line?.length === 0) lines.delete(job.owner)
  }

  function next(mayServe: (job: Job) => boolean): Job | undefined {
    let best: { readonly job: Job; readonly load: number } | undefined
    for (const job of [...lines.values()].flat()) {
      if (!mayServe(job)) continue
      const one = { job, load: load(job) }
      if (!best || one.load < best.load) best = one
    }
    return best?.job
  }

  return {
    add(job) {
      const line = lines.get(job.owner)
      if (line) line.push(job)
      else lines.set(job.owner, [job])
    },
    take(mayServe) {
      const job = next(mayServe)
      if (!job) return undefined
      drop(job)
      const line = lines.get(job.owner)
      lines.delete(job.owner)
      if (line) lines.set(job.owner, line)
      return job
    },
    remove: drop,
    waiting: (owner) => lines.get(owner)?.length ?? 0,
    owners: () => lines.keys(),
    drain() {
      const all = [...lines.values()].flat()
      lines.clear()
      return all
    },
  }
}
