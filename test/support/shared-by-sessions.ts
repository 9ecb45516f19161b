import type { Log } from '../../src/base/environment.ts'
import { type Account, createScheduler } from '../../src/base/jobs/scheduler.ts'
import { createShared, type SharedBySessions } from '../../src/terminal/views/view.ts'
import { processTimers } from '../../src/server/process-timers.ts'
import { markdown } from './markdown-tools.ts'
import { memoryLog } from './chat-parts.ts'

/** What sessions share, in real time, in a wall time that stands still. */
export const sharedBySessions = (log: Log = memoryLog()): SharedBySessions =>
  createShared(processTimers, { markdown, log, clock: { now: () => 0 } })

/** The account of one connection, in real time. */
export const newAccount = (): Account => createScheduler(processTimers).open()

/** Time that stands still until a test moves it. */
export function handTimers() {
  let now = 1_000
  let next: (() => void)[] = []
  let timers: { readonly at: number; readonly run: () => void }[] = []

  function pass(): void {
    while (next.length > 0) for (const run of next.splice(0)) run()
  }

  return {
    now: () => now,
    soon: (run: () => void) => void next.push(run),
    later: (ms: number, run: () => void) => void timers.push({ at: now + ms, run }),
    /** How many timers are set, the next pass not counted. */
    pending: (): number => timers.length,
    /** Does what is to be done in the next pass of the event loop, and what that leads to. */
    pass,
    /** Lets time go on, and does what falls due. */
    advance(ms: number) {
      pass()
      const end = now + ms
      for (;;) {
        const due = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (!due) break
        timers = timers.filter((timer) => timer !== due)
        now = due.at
        due.run()
        pass()
      }
      now = end
    },
  }
}
