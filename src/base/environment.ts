// What code asks of its environment: the time, a timer, and a place for what operators read.

export interface Clock {
  /** Milliseconds since the epoch. May go back, as the machine's clock can. */
  now(): number
}

/** Its timers keep no process from ending. */
export interface Alarm {
  later(ms: number, run: () => void): void
}

export interface MonotonicClock {
  /** For paces and durations: never goes back. */
  monotonic(): number
}

export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
