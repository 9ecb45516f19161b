import { APOLOGY, Refusal, StorageError, UsageError } from '../chat/errors.ts'
import type { Log } from '../chat/ports.ts'
import type { Caller } from './caller.ts'

/** Tells the caller what went wrong, and gives the status that belongs to it: 2 for wrong usage, else 1. */
export type Explain = (error: unknown, caller: Caller) => 1 | 2

/** The one place where a command's trouble becomes words for people. The log is told what is no fault of theirs. */
export const createExplain =
  (log: Log): Explain =>
  (error, { out, session }) => {
    if (error instanceof UsageError) {
      out.warn(error.message)
      if (error.usage !== undefined) out.warn(`usage: ${error.usage}`)
      return 2
    }
    if (error instanceof Refusal) {
      out.warn(error.message)
    } else if (error instanceof StorageError) {
      log.error({ error, reason: error.reason }, 'the store refused')
      out.warn(`${error.reading ? 'not read' : 'not stored'}: ${error.message}`)
    } else {
      log.error({ error, session: session !== undefined, room: session?.room.name }, 'a command threw')
      out.warn(APOLOGY)
    }
    return 1
  }
