import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { bytes } from '../base/amounts.ts'
import type { DiskCheck } from './room-disk.ts'

/** Milliseconds between two checks. The kernel limits each process; the checks limit all of them together. */
const PAUSE_MS = 100

/** A slow check is followed by a pause this many times as long. */
const PAUSE_FACTOR = 10

/** Milliseconds until a check that found too much is repeated: a forking process's memory counts twice. */
const RECHECK_MS = 20

/** Limits that the kernel does not apply to a command as a whole. */
interface UsageLimits {
  readonly processes: number
  readonly memoryBytes: number
}

/** Watches the memory, processes and disk use of one command. */
export class UsageWatch {
  peakBytes = 0
  readonly #limits: UsageLimits
  readonly #checkDisk: DiskCheck

  constructor(limits: UsageLimits, checkDisk: DiskCheck) {
    this.#limits = limits
    this.#checkDisk = checkDisk
  }

  /** Watches the sandbox whose first process is `pid` until `ended`. Calls `stop` once with the reason. */
  async watch(pid: number, stop: (why: string) => void, ended: AbortSignal): Promise<void> {
    for (let pause = PAUSE_MS; await sleep(pause, ended);) {
      const start = performance.now()
      let why = await this.#checkProcesses(pid)
      if (why !== undefined && (await sleep(RECHECK_MS, ended))) why = await this.#checkProcesses(pid)
      why ??= await this.#checkDisk()
      if (why !== undefined && !ended.aborted) return stop(why)
      pause = Math.max(PAUSE_MS, (performance.now() - start) * PAUSE_FACTOR)
    }
  }

  /**
   * Reads the sandbox's own /proc through its first process (proc_pid_root(5)). It shows all processes of the
   * sandbox and no others: none can hide by leaving its parent. It is gone with the first process.
   */
  async #checkProcesses(pid: number): Promise<string | undefined> {
    const { processes, memoryBytes } = this.#limits
    const proc = `/proc/${pid}/root/proc`
    const names = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name))
    if (names.length > processes) return `it had more than ${processes} processes`
    const sum = async (file: string, pattern: RegExp): Promise<number> =>
      (await Promise.all(names.map((name) => readFigure(`${proc}/${name}/${file}`, pattern)))).reduce(
        (total, each) => total + each,
        0,
      )
    let used = await sum('status', RESIDENT)
    // VmRSS counts a shared page once per process, and a process that has just forked shares all pages.
    if (used > memoryBytes) used = await sum('smaps_rollup', PROPORTIONAL)
    this.peakBytes = Math.max(this.peakBytes, used)
    return used > memoryBytes ? `it took more than ${bytes(memoryBytes)} of memory` : undefined
  }
}

/** In KiB (proc_pid_status(5)). */
const RESIDENT = /^VmRSS:\s*(\d+)/m

/** In KiB; each page is divided by the number of its processes (proc_pid_smaps(5)). Slower to read. */
const PROPORTIONAL = /^Pss:\s*(\d+)/m

/** Reads a figure of a process in bytes; 0 if the process has ended. */
async function readFigure(path: string, pattern: RegExp): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return Number(pattern.exec(text)?.[1] ?? 0) * 1024
}

/** Resolves to false as soon as the signal is aborted. */
const sleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false)
