import { readFileSync } from 'node:fs'

/** How long a process may work on one thing. */
export interface WorkLimits {
  /** Milliseconds of processor time. */
  readonly cpuMs: number
  /**
   * Milliseconds by the clock on the wall: for a process that waits, and where processor time cannot be read.
   */
  readonly wallMs: number
}

/** The process is not looked at more often than this. */
const MIN_LOOK_MS = 25

/**
 * Calls `over` once the process has used more than it may from now on. Returns the function that stops
 * watching. Processor time is what counts: on a busy machine honest work takes long by the clock.
 */
export function watch(pid: number, { cpuMs, wallMs }: WorkLimits, over: () => void): () => void {
  const startedAt = performance.now()
  const before = cpuTime(pid)
  const look = (): void => {
    const wallLeft = wallMs - (performance.now() - startedAt)
    const cpuLeft = before === undefined ? wallLeft : cpuMs - ((cpuTime(pid) ?? before) - before)
    if (wallLeft <= 0 || cpuLeft <= 0) over()
    else timer = setTimeout(look, Math.max(MIN_LOOK_MS, Math.min(wallLeft, cpuLeft)))
  }
  let timer = setTimeout(look, Math.min(cpuMs, wallMs))
  return () => clearTimeout(timer)
}

/** Watches a process; tests give another, to decide themselves when a limit has passed. */
export type Watch = typeof watch

/** Linux counts in hundredths of a second for all programs (USER_HZ, proc(5)). */
const MS_PER_TICK = 10
/** Places of utime and stime after the command's name, which alone may have spaces (proc_pid_stat(5)). */
const UTIME = 11
const STIME = 12

/** Milliseconds of processor time of all threads; undefined on systems without /proc. */
function cpuTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[UTIME]) + Number(fields[STIME])
    return Number.isFinite(ticks) ? ticks * MS_PER_TICK : undefined
  } catch {
    return undefined
  }
}
