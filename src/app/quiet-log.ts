import { StorageError } from '../chat/errors.ts'
import type { Log, MonotonicClock } from '../chat/ports.ts'

/** How often the same is said at most, in milliseconds. */
const EVERY_MS = 10_000

/**
 * A log in which nothing is buried while the database is away. Whatever needs it fails then, each second and for each login, and says
 * so: here in one line without a stack, and the same text once in ten seconds. When it went away and came back, the storage says.
 */
export function quietWhileAway(log: Log, clock: MonotonicClock): Log {
  const saidAt = new Map<string, number>()

  const quiet =
    (say: Log['warn']): Log['warn'] =>
    (facts, text) => {
      const error = 'error' in facts ? facts.error : undefined
      if (!(error instanceof StorageError) || error.reason !== 'away') return say(facts, text)
      const now = clock.monotonic()
      if (now - (saidAt.get(text) ?? -Infinity) < EVERY_MS) return
      saidAt.set(text, now)
      say({ ...facts, error: undefined, why: error.forOperators }, text)
    }

  return {
    debug: quiet((facts, text) => log.debug(facts, text)),
    info: quiet((facts, text) => log.info(facts, text)),
    warn: quiet((facts, text) => log.warn(facts, text)),
    error: quiet((facts, text) => log.error(facts, text)),
  }
}
