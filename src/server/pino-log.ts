/** The server's log, written with pino. */
import { pino, stdSerializers, destination } from 'pino'
import { StorageError } from '../words/errors.ts'
import type { Log } from '../base/environment.ts'
import { cleanJson } from '../base/json.ts'
import { isPlain } from '../base/text/clean-text.ts'

/** A log that can write out its buffer. */
export interface FlushableLog extends Log {
  /** Writes out the buffer, so that the process may end. */
  flush(): void
}

/** Omits stack traces while the database is unavailable, because everything that needs it fails alike. */
const errorFacts = (error: Error): unknown =>
  error instanceof StorageError && error.reason === 'away' ? error.forOperators : stdSerializers.err(error)

/**
 * Writes JSON lines to stderr, one per event, sanitized, with the level as a word; `level` is pino's, or
 * `silent`. JSON escapes only some of the characters that a terminal obeys.
 */
export function createLog(level: string, dest: number | string = 2): FlushableLog {
  const output = destination({ dest, sync: true })
  const logger = pino(
    {
      level,
      base: null,
      serializers: { error: errorFacts },
      formatters: { level: (word) => ({ level: word }) },
    },
    {
      write: (line) =>
        output.write(isPlain(line) ? line : `${JSON.stringify(cleanJson(JSON.parse(line)))}\n`),
    },
  )
  return {
    debug: (facts, text) => logger.debug(facts, text),
    info: (facts, text) => logger.info(facts, text),
    warn: (facts, text) => logger.warn(facts, text),
    error: (facts, text) => logger.error(facts, text),
    flush: () => output.flush(),
  }
}
