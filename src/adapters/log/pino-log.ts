/** The server's log, written with pino. It knows nothing of what is logged: facts and a text come from outside. */
import { pino, stdSerializers, destination } from 'pino'
import type { Log } from '../../chat/ports.ts'

/** A log whose last lines can be waited for. */
export interface FlushableLog extends Log {
  /** Writes out what is buffered; after it the process may end. */
  flush(): void
}

/** JSON lines on standard error, one a fact; `level` is pino's, or `silent`. */
export function createLog(level: string): FlushableLog {
  const logger = pino(
    { level, base: null, serializers: { error: stdSerializers.err } },
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
