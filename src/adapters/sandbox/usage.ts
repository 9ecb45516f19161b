import { readdir, readFile } from 'node:fs/promises'

/** What the processes of one sandbox take. */
export interface ResourceUsage {
  readonly processes: number
  /** Of memory; at most what it would be if they shared nothing. 0 where there are too many processes to ask. */
  readonly bytes: number
}

/** What they may take. */
export interface UsageLimits {
  readonly processes: number
  readonly memoryBytes: number
}

/**
 * What the sandbox takes whose first process is `pid`; undefined when it is gone. Its own /proc, reached through that
 * process (proc_pid_root(5)), shows its processes and no others: none can hide by leaving its parent.
 */
export async function usageOf(pid: number, limits: UsageLimits): Promise<ResourceUsage | undefined> {
  const proc = `/proc/${pid}/root/proc`
  const names = await readdir(proc).catch(() => undefined)
  const processes = names?.filter((name) => /^\d+$/.test(name))
  if (!processes) return undefined
  if (processes.length > limits.processes) return { processes: processes.length, bytes: 0 }
  const resident = await sum(processes.map((each) => figure(`${proc}/${each}/status`, RESIDENT)))
  // Pages that several processes share are counted once for each, and a process that has just forked shares all.
  const bytes =
    resident > limits.memoryBytes
      ? await sum(processes.map((each) => figure(`${proc}/${each}/smaps_rollup`, PROPORTIONAL)))
      : resident
  return { processes: processes.length, bytes }
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

const sum = async (figures: readonly Promise<number>[]): Promise<number> =>
  (await Promise.all(figures)).reduce((total, each) => total + each, 0)
