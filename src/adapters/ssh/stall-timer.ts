/** Less than this in all of the time counts as nothing. */
const MIN_PROGRESS_BYTES = 1_024

/**
 * Notices a client that takes almost nothing while something waits for it. It costs a timer only in that
 * time.
 */
export interface StallTimer {
  isRunning(): boolean
  /** Something waits. Starts the time, and starts it again where enough was sent since it began. */
  run(): void
  sent(bytes: number): void
  /** Nothing waits any more. */
  stop(): void
}

/** `onStall` is called after `ms` milliseconds without progress. */
export function createStallTimer(ms: number, onStall: () => void): StallTimer {
  let timer: NodeJS.Timeout | undefined
  let progress = 0
  return {
    isRunning: () => timer !== undefined,
    run() {
      timer ??= setTimeout(onStall, ms)
      if (progress < MIN_PROGRESS_BYTES) return
      progress = 0
      timer.refresh()
    },
    sent: (bytes) => void (progress += bytes),
    stop() {
      clearTimeout(timer)
      timer = undefined
      progress = 0
    },
  }
}
