import { EventEmitter, once } from 'node:events'

/** A process that works on something, and would be ended once it has worked too long. */
export interface WatchedWork {
  readonly pid: number
  /** Says that it has worked too long. */
  end(): void
}

/** A watch whose test decides when a process has worked too long. */
export type ManualWatch = ReturnType<typeof createManualWatch>

export function createManualWatch() {
  const begun: WatchedWork[] = []
  const current = new Set<WatchedWork>()
  const events = new EventEmitter()
  return {
    current,
    watch(pid: number, _limits: unknown, end: () => void) {
      const work = { pid, end }
      current.add(work)
      begun.push(work)
      events.emit('begun')
      return (): void => void current.delete(work)
    },
    /** The work that begins next, or has begun since the last one that was asked for. */
    async next(): Promise<WatchedWork> {
      for (;;) {
        const work = begun.shift()
        if (work) return work
        await once(events, 'begun')
      }
    },
  }
}
