import type { StorageError } from '../../../chat/errors.ts'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'

/** Says once that the database cannot be reached, and once that it can be again, however many statements find it so. */
export interface Reach {
  /** To be called as a statement begins. What it returns is to be called where the statement did what it should. */
  begin(): () => void
  failed(trouble: StorageError): void
}

export function createReach(log: Pick<Log, 'error' | 'info'> | undefined): Reach {
  let isAway = false
  return {
    begin() {
      const wasAway = isAway
      return () => {
        // What began before may still end well when the database goes away.
        if (!wasAway || !isAway) return
        isAway = false
        log?.info({}, 'the database can be reached again')
      }
    },
    failed(trouble) {
      if (isAway || trouble.reason !== 'away') return
      isAway = true
      log?.error(
        { why: trouble.forOperators, cause: errorMessage(trouble.cause) },
        'the database cannot be reached',
      )
    },
  }
}
