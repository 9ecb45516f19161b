import { readFileSync } from 'node:fs'

export interface WorkLimits {
  readonly cpuMs: number
  /** Ms of wall-clock time: for a process that waits, and if CPU time cannot be read. */
  readonly wallMs: number
}

const MIN_CHECK_MS = 25

/** Calls `over` past a limit. Returns a stop function. Counts CPU time, as busy machines slow honest work. */
export function watch(pid: number, { cpuMs, wallMs }: WorkLimits, over: () => void): () => void {
  const startedAt = performance.now()
  const before = cpuTime(pid)
  const check = (): void => {
    const wallLeft = wallMs - (performance.now() - startedAt)
    const cpuLeft = before === undefined ? wallLeft : cpuMs - ((cpuTime(pid) ?? before) - before)
    if (wallLeft <= 0 || cpuLeft <= 0) over()
    else timer = setTimeout(check, Math.max(MIN_CHECK_MS, Math.min(wallLeft, cpuLeft)))
  }
  let timer = setTimeout(check, Math.min(cpuMs, wallMs))
  return () => clearTimeout(timer)
}

/** The type of `watch`. Tests replace `watch` to decide when a limit has passed. */
export type Watch = typeof watch

/** Linux counts in hundredths of a second for all programs (USER_HZ, proc(5)). */
const MS_PER_TICK = 10
/** Indexes of utime and stime after the command's name, which alone may have spaces (proc_pid_stat(5)). */
const UTIME = 11
const STIME = 12

/** Ms of CPU time of all threads; undefined on systems without /proc. */
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
