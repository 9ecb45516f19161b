import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { bytes } from '../../lib/amounts.ts'
import type { Look } from './room-disk.ts'

/** Milliseconds between two looks. Each process alone is held by the kernel; this is for all of them together. */
const PAUSE_MS = 100

/** A look that takes long is followed by a pause this many times as long. */
const PAUSE_FACTOR = 10

/** After a look that found too much, milliseconds until the one that decides: while a process forks, its memory counts twice. */
const SECOND_LOOK_MS = 20

/** What the kernel does not limit for a command as a whole. */
interface UsageLimits {
  readonly processes: number
  readonly memoryBytes: number
}

/** Watches what one command uses. */
export class UsageWatch {
  /** The most memory that was seen. */
  peakBytes = 0
  readonly #limits: UsageLimits
  readonly #lookAtDisk: Look

  constructor(limits: UsageLimits, lookAtDisk: Look) {
    this.#limits = limits
    this.#lookAtDisk = lookAtDisk
  }

  /** Watches the sandbox whose first process is `pid` until `ended` is aborted. Calls `stop` once with what it found. */
  async watch(pid: number, stop: (why: string) => void, ended: AbortSignal): Promise<void> {
    for (let pause = PAUSE_MS; await sleep(pause, ended);) {
      const start = performance.now()
      let why = await this.#lookAtProcesses(pid)
      if (why !== undefined && (await sleep(SECOND_LOOK_MS, ended))) why = await this.#lookAtProcesses(pid)
      why ??= await this.#lookAtDisk()
      if (why !== undefined && !ended.aborted) return stop(why)
      pause = Math.max(PAUSE_MS, (performance.now() - start) * PAUSE_FACTOR)
    }
  }

  /**
   * The sandbox's own /proc, reached through its first process (proc_pid_root(5)), shows its processes and no others:
   * none can hide by leaving its parent. It is gone with that process.
   */
  async #lookAtProcesses(pid: number): Promise<string | undefined> {
    const { processes, memoryBytes } = this.#limits
    const proc = `/proc/${pid}/root/proc`
    const names = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name))
    if (names.length > processes) return `it had more than ${processes} processes`
    const sum = async (file: string, pattern: RegExp): Promise<number> =>
      (await Promise.all(names.map((name) => figure(`${proc}/${name}/${file}`, pattern)))).reduce(
        (total, each) => total + each,
        0,
      )
    let used = await sum('status', RESIDENT)
    // Pages that several processes share are counted once for each, and a process that has just forked shares all.
    if (used > memoryBytes) used = await sum('smaps_rollup', PROPORTIONAL)
    this.peakBytes = Math.max(this.peakBytes, used)
    return used > memoryBytes ? `it took more than ${bytes(memoryBytes)} of memory` : undefined
  }
}

/** In KiB (proc_pid_status(5)). */
const RESIDENT = /^VmRSS:\s*(\d+)/m

/** In KiB; each page divided by the number of processes that have it (proc_pid_smaps(5)). Slower to ask. */
const PROPORTIONAL = /^Pss:\s*(\d+)/m

/** A figure of a process in bytes; 0 for one that has ended. */
async function figure(path: string, pattern: RegExp): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return Number(pattern.exec(text)?.[1] ?? 0) * 1024
}

/** False as soon as the signal is aborted. */
const sleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false)
