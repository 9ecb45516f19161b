import { EventEmitter, once } from 'node:events'
import type { Log } from '../../src/base/environment.ts'

/** A log that can be waited for. */
export interface EventLog extends Log {
  /** Each line with its facts, as the server's log would print them. */
  readonly lines: readonly string[]
  /** Resolves once there are so many lines with these words. */
  until(words: string, count?: number): Promise<void>
  count(words: string): number
}

export function createEventLog(): EventLog {
  const lines: string[] = []
  const events = new EventEmitter()
  const count = (words: string): number => lines.filter((line) => line.includes(words)).length
  const keep = (facts: object, text: string): void => {
    lines.push(`${text} ${JSON.stringify(facts, withMessages)}`)
    events.emit('line')
  }
  return {
    lines,
    count,
    async until(words, least = 1) {
      while (count(words) < least) await once(events, 'line')
    },
    ...{ debug: keep, info: keep, warn: keep, error: keep },
  }
}

const withMessages = (_key: string, value: unknown): unknown =>
  value instanceof Error ? (value.stack ?? value.message) : value
