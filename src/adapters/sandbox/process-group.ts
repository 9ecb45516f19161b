import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Readable } from 'node:stream'

/** How long the kernel may take to bury what was killed. */
const burialMs = 500

/** Kills every process of a group at once. A group that is gone, or never was, is no error. */
export function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: nobody is left.
  }
}

/** Resolves when no process of the group is left, or after half a second. */
export const groupGone = (leader: number | undefined): Promise<void> =>
  until(async () => leader === undefined || !exists(-leader))

/**
 * Resolves when the process that `bwrap --info-fd` names is dead, or after half a second. It is the first one in
 * its pid namespace, and the kernel lets it end only after all others there (pid_namespaces(7)).
 */
export async function namespaceGone(info: Readable): Promise<void> {
  const pid = /"child-pid": *(\d+)/.exec(await text(info).catch(() => ''))?.[1]
  if (pid !== undefined) await until(async () => /^(Z|X|$)/.test(await stateOf(pid)))
}

/** A letter (proc_pid_stat(5)); empty when there is no such process. */
async function stateOf(pid: string): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + burialMs
  while (!(await done()) && performance.now() < end) await delay(2)
}
