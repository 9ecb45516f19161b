import { APOLOGY, Refusal, StorageError, UsageError } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import type { Caller } from './caller.ts'

/** Tells the caller what went wrong, and gives the status that belongs to it: 2 for wrong usage, else 1. */
export type Explain = (error: unknown, caller: Caller) => 1 | 2

/** The one place where a command's trouble becomes words for people. The log is told what is no fault of theirs. */
export function createExplain(log: Log, verbs: ReadonlySet<string>): Explain {
  return (error, { out, session, person }) => {
    const tell = (message: string): void => out.warn(session ? message : withoutSlashes(message, verbs))
    if (error instanceof UsageError) {
      // One without a form has the words of the caller in it.
      if (error.usage === undefined) out.warn(error.message)
      else {
        tell(error.message)
        out.warn(`usage: ${error.usage}`)
      }
      return 2
    }
    if (error instanceof Refusal) {
      tell(error.message)
    } else if (error instanceof StorageError) {
      log.error({ error, reason: error.reason }, 'the store refused')
      out.warn(`${error.reading ? 'not read' : 'not stored'}: ${troubleFor(person, error)}`)
    } else {
      log.error({ error, session: session !== undefined, room: session?.room.name }, 'a command threw')
      out.warn(APOLOGY)
    }
    return 1
  }
}

/** What the store could not do, for those who run the server or for everybody else. */
export const troubleFor = (person: Pick<Person, 'admin'>, { message, forOperators }: StorageError): string =>
  person.admin ? forOperators : message

/** Sentences name commands as a session has them, `/join`; a script writes `join`. Paths keep their slashes. */
const withoutSlashes = (message: string, verbs: ReadonlySet<string>): string =>
  message.replace(/(?<![\w/.~-])\/([a-z]+)(?![\w/.-])/g, (all, word: string) =>
    verbs.has(word) ? word : all,
  )
