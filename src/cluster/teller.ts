import type { Alarm, Log } from '../chat/ports.ts'
import type { JsonObject } from '../lib/json.ts'

/** How often others are told at most, in milliseconds. */
const PAUSE_MS = 1_000

/**
 * Tells the newest of what something does: at once, and at most once a second. What does not differ is told once, and what
 * cannot be told is left out.
 */
export function createTeller(
  tell: (doing: JsonObject) => Promise<void>,
  clock: Alarm,
  log: Pick<Log, 'debug'>,
): (doing: JsonObject) => void {
  let told = ''
  let next: JsonObject | undefined
  let isPaused = false

  function later(doing: JsonObject): void {
    next = doing
    if (!isPaused) tellNext()
  }

  function tellNext(): void {
    isPaused = false
    const text = JSON.stringify(next)
    if (next === undefined || text === told) return
    told = text
    tell(next).catch((error: unknown) => log.debug({ error }, 'others were not told what is at work'))
    isPaused = true
    clock.later(PAUSE_MS, tellNext)
  }

  return later
}
