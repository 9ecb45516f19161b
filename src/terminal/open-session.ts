import { APOLOGY, Refusal } from '../words/errors.ts'
import type { Person } from '../words/person.ts'
import type { Log } from '../base/environment.ts'
import { errorMessage } from '../base/errors.ts'
import type { LineQueue } from './input/line-queue.ts'
import type { SessionHost, Terminal } from './ports.ts'
import type { SharedBySessions, ViewSwitch } from './views/view.ts'

export interface OpenSession {
  readonly terminal: Terminal
  readonly host: SessionHost
  readonly views: ViewSwitch
  readonly shared: SharedBySessions
  readonly trouble: Trouble
  readonly queue: LineQueue
  readonly isOver: () => boolean
}

type Trouble = ReturnType<typeof createTroubleReporter>

/** Turns an error into a notice for the person, so that the session goes on. */
export function createTroubleReporter(views: ViewSwitch, person: Person, log: Log) {
  let logged = ''
  function tell(error: unknown): void {
    if (error instanceof Refusal) return views.current.print(`! ${error.message}`, 'error')
    // A key that is held down would fill the log with the same line.
    const message = errorMessage(error)
    if (message !== logged) log.error({ person: person.name, error }, 'something in a session failed')
    logged = message
    views.current.print(`! ${APOLOGY}. Your session goes on`, 'error')
  }
  return {
    tell,
    /** Never rejects. */
    async during(job: () => Promise<void>): Promise<void> {
      try {
        await job()
      } catch (error) {
        tell(error)
      }
    },
  }
}
