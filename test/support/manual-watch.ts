import { EventEmitter, once } from 'node:events'
import type { Watch } from '../../src/adapters/lua/watchdog.ts'

/** A process that works on something, and would be ended once it has worked too long. */
export interface WatchedWork {
  readonly pid: number
  /** Says that it has worked too long. */
  end(): void
}

/** A watch whose test decides when a process has worked too long. */
export interface ManualWatch {
  readonly watch: Watch
  /** The work that begins next, or has begun since the last one that was asked for. */
  next(): Promise<WatchedWork>
  /** What is being worked on. */
  readonly current: ReadonlySet<WatchedWork>
}

/** Watches nothing by itself. */
export function createManualWatch(): ManualWatch {
  const begun: WatchedWork[] = []
  const current = new Set<WatchedWork>()
  const events = new EventEmitter()
  return {
    current,
    watch(pid, _limits, end) {
      const work = { pid, end }
      current.add(work)
      begun.push(work)
      events.emit('begun')
      return () => current.delete(work)
    },
    async next() {
      for (;;) {
        const work = begun.shift()
        if (work) return work
        await once(events, 'begun')
      }
    },
  }
}
