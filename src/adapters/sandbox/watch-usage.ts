import { setTimeout as delay } from 'node:timers/promises'
import { bytes } from '../../lib/amounts.ts'
import { usageOf, type UsageLimits } from './usage.ts'
import type { Look } from './room-disk.ts'

/** Milliseconds between two looks. Each process alone is held by the kernel; this is for all of them together. */
const PAUSE_MS = 100

/** A look that takes long is followed by a pause this many times as long. */
const PAUSE_FACTOR = 10

/** After a look that found too much, milliseconds until the one that decides: while a process forks, its memory counts twice. */
const SECOND_LOOK_MS = 20

/** What the kernel does not hold for a command as a whole. */
export interface WatchedLimits extends UsageLimits {
  readonly lookAtDisk: Look
}

/** Watches one command. */
export interface UsageWatch {
  /** Watches the sandbox whose first process is `pid` until `ended` is aborted. Calls `stop` once with what it found. */
  watch(pid: number, stop: (why: string) => void, ended: AbortSignal): Promise<void>
  /** The most memory that was seen. */
  readonly peakBytes: number
}

/** Begins nothing yet. */
export function createUsageWatch(limits: WatchedLimits): UsageWatch {
  let peakBytes = 0

  async function lookAtProcesses(pid: number): Promise<string | undefined> {
    const usage = await usageOf(pid, limits)
    if (!usage) return undefined
    peakBytes = Math.max(peakBytes, usage.bytes)
    if (usage.processes > limits.processes) return `it had more than ${limits.processes} processes`
    return usage.bytes > limits.memoryBytes
      ? `it took more than ${bytes(limits.memoryBytes)} of memory`
      : undefined
  }

  return {
    async watch(pid, stop, ended) {
      for (let pause = PAUSE_MS; await sleep(pause, ended);) {
        const start = performance.now()
        let why = await lookAtProcesses(pid)
        if (why !== undefined && (await sleep(SECOND_LOOK_MS, ended))) why = await lookAtProcesses(pid)
        why ??= await limits.lookAtDisk()
        if (why !== undefined && !ended.aborted) return stop(why)
        pause = Math.max(PAUSE_MS, (performance.now() - start) * PAUSE_FACTOR)
      }
    },
    get peakBytes() {
      return peakBytes
    },
  }
}

/** False as soon as the signal is aborted. */
const sleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false)
