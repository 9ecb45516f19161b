/** The server's log, written with pino. */
import { pino, stdSerializers, destination } from 'pino'
import { StorageError } from '../../chat/errors.ts'
import type { Log } from '../../chat/ports.ts'

/** A log whose last lines can be waited for. */
export interface FlushableLog extends Log {
  /** Writes out what is buffered; after it the process may end. */
  flush(): void
}

/** While the database is away, all that needs it fails and says so: the same stacks would bury everything else. */
const errorFacts = (error: Error): unknown =>
  error instanceof StorageError && error.reason === 'away' ? error.forOperators : stdSerializers.err(error)

/** JSON lines on standard error, one a fact, with its level as a word; `level` is pino's, or `silent`. */
export function createLog(level: string): FlushableLog {
  const logger = pino(
    {
      level,
      base: null,
      serializers: { error: errorFacts },
      formatters: { level: (word) => ({ level: word }) },
    },
    destination({ dest: 2, sync: true }),
  )
  return {
    debug: (facts, text) => logger.debug(facts, text),
    info: (facts, text) => logger.info(facts, text),
    warn: (facts, text) => logger.warn(facts, text),
    error: (facts, text) => logger.error(facts, text),
    flush: () => logger.flush(),
  }
}
