import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** How long the kernel may take to end what was killed. */
const END_MS = 500

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
 * Resolves when the first process of a pid namespace is dead, or after half a second: the kernel lets it end only after
 * all others there (pid_namespaces(7)).
 */
export const namespaceGone = (first: number | undefined): Promise<void> =>
  until(async () => first === undefined || /^(Z|X|$)/.test(await stateOf(first)))

/** A letter (proc_pid_stat(5)); empty when there is no such process. */
async function stateOf(pid: number): Promise<string> {
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
  const end = performance.now() + END_MS
  while (!(await done()) && performance.now() < end) await delay(2)
}
