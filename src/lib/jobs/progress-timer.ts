/** Fewer bytes than this in all of the time are a stall. */
const MIN_PROGRESS_BYTES = 1_024

/** Notices that almost nothing moves while something waits. It has a timer only in that time. */
export interface ProgressTimer {
  isRunning(): boolean
  /** Something waits. Starts the time, and again if enough moved since it began. */
  run(): void
  moved(bytes: number): void
  /** Nothing waits any more. */
  stop(): void
}

/** `onStall` is called after `ms` milliseconds without progress. */
export function createProgressTimer(ms: number, onStall: () => void): ProgressTimer {
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
    moved: (bytes) => void (progress += bytes),
    stop() {
      clearTimeout(timer)
      timer = undefined
      progress = 0
    },
  }
}
