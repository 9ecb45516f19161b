/** Jobs in line, by whom they are for. */
export interface FairQueue<Job> {
  add(owner: string, job: Job): void
  /** The next job of the owner who was served longest ago, without those owners; undefined if there is none. */
  take(without: ReadonlySet<string>): { readonly owner: string; readonly job: Job } | undefined
  remove(owner: string, job: Job): void
  /** How many jobs this owner has in line. */
  waiting(owner: string): number
  /** Empties the queue. */
  drain(): readonly Job[]
}

/** Serves owners in turn: however many jobs one adds, each other waits for at most one of them at a time. */
export function createFairQueue<Job>(): FairQueue<Job> {
  const lines = new Map<string, Job[]>()
  const drop = (owner: string, index: number): void => {
    const line = lines.get(owner)
    line?.splice(index, 1)
    if (line?.length === 0) lines.delete(owner)
  }
  return {
    add(owner, job) {
      const line = lines.get(owner)
      if (line) line.push(job)
      else lines.set(owner, [job])
    },
    take(without) {
      for (const [owner, line] of lines) {
        if (without.has(owner)) continue
        const job = line.shift()!
        lines.delete(owner)
        if (line.length > 0) lines.set(owner, line)
        return { owner, job }
      }
      return undefined
    },
    remove(owner, job) {
      const index = lines.get(owner)?.indexOf(job) ?? -1
      if (index >= 0) drop(owner, index)
    },
    waiting: (owner) => lines.get(owner)?.length ?? 0,
    drain() {
      const all = [...lines.values()].flat()
      lines.clear()
      return all
    },
  }
}
