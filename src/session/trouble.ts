import { APOLOGY, Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import { errorMessage } from '../lib/errors.ts'
import type { SessionView } from './session-view.ts'

/** Turns what goes wrong into a notice for the person, so that their session goes on. */
export interface Trouble {
  /** Runs a job whose error is told. Never rejects. */
  during(job: () => Promise<void>): Promise<void>
  tell(error: unknown): void
}

export function createTrouble(view: Pick<SessionView, 'print'>, person: Person, log: Log): Trouble {
  let logged = ''

  function tell(error: unknown): void {
    if (error instanceof Refusal) return view.print(`! ${error.message}`, 'error')
    // A key that is held down would fill the log with the same line.
    const what = errorMessage(error)
    if (what !== logged) log.error({ person: person.name, error }, 'something in a session failed')
    logged = what
    view.print(`! ${APOLOGY}. Your session goes on`, 'error')
  }

  return {
    tell,
    async during(job) {
      try {
        await job()
      } catch (error) {
        tell(error)
      }
    },
  }
}
