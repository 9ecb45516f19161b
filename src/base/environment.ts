// The code's environment: the time, a timer, and a log for operators.

export interface Clock {
  /** Milliseconds since the epoch. May go back when the machine's clock does. */
  now(): number
}

/** A timer that does not keep the process alive. */
export interface Alarm {
  later(ms: number, run: () => void): void
}

export interface MonotonicClock {
  /** Milliseconds that never go back, for rates and durations. */
  monotonic(): number
}

export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
