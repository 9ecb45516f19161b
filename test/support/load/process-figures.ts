import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

/** Linux counts processor time in hundredths of a second (proc(5): sysconf(_SC_CLK_TCK), 100 wherever Node runs). */
const MS_PER_TICK = 10

/** Processor time that a process has used so far with all of its threads, in milliseconds. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  // The name, in parentheses, may hold spaces; after it come state, then fields 4 and up: utime is 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

/** Resident memory of a process in KiB. */
export async function residentKiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

/** How many descriptors a process has open of each kind: a file's name, `socket`, `pipe`, `anon_inode`. */
export async function openDescriptors(pid: number): Promise<Readonly<Record<string, number>>> {
  const numbers = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(
    // Undefined where it was closed meanwhile.
    numbers.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => undefined)),
  )
  const kinds = targets
    .filter((target) => target !== undefined)
    .map((target) => (target.startsWith('/') ? basename(target) : target.split(':', 1)[0]!))
  return Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  )
}

/** The processes that a process started and that still run. */
export async function childProcesses(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')),
  )
  return lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number))
}

/** Processor time of a process and all that it started, also of those that have ended, in milliseconds. */
export async function cpuMsOfAll(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  // As in `cpuMs`; behind it cutime and cstime, of children that have ended.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  const children = await childProcesses(pid)
  const theirs = await Promise.all(children.map((child) => cpuMsOfAll(child).catch(() => 0)))
  return [...ticks.map((tick) => Number(tick) * MS_PER_TICK), ...theirs].reduce((sum, ms) => sum + ms, 0)
}
