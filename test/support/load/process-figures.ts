import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

/** Linux counts processor time in hundredths of a second (proc(5): sysconf(_SC_CLK_TCK), 100 wherever Node runs). */
const MS_PER_TICK = 10

/** Processor time that a process has used so far with all of its threads, in milliseconds. */
export const cpuMs = async (pid: number): Promise<number> =>
  sum((await ticksOf(pid)).slice(0, 2)) * MS_PER_TICK

/** utime and stime, then cutime and cstime, of children that have ended. */
async function ticksOf(pid: number): Promise<readonly number[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  // The name, in parentheses, may hold spaces; after it come state, then fields 4 and up: utime is 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map(Number)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

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

export async function childProcesses(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')),
  )
  return lists.flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number))
}

/** Processor time of a process and all that it started, also of those that have ended, in milliseconds. */
export async function cpuMsOfAll(pid: number): Promise<number> {
  const own = sum(await ticksOf(pid)) * MS_PER_TICK
  const children = await childProcesses(pid)
  return own + sum(await Promise.all(children.map((child) => cpuMsOfAll(child).catch(() => 0))))
}
