import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Processes of a command besides those that it starts: the shell and bubblewrap's own two. */
const OWN_PROCESSES = 3

/** Attempts to remove a cgroup, 10 ms apart: the kernel refuses until the last process is gone. */
const ATTEMPTS = 100

let made = 0

/** Returns the parent directory for root's cgroups (cgroups(7)), if any. RLIMIT_NPROC does not limit root. */
export function findCgroups(): string | undefined {
  if (process.getuid?.() !== 0) return undefined
  return candidates().find((parent) => {
    try {
      const trial = newCgroupPath(parent)
      mkdirSync(trial)
      try {
        writeFileSync(join(trial, 'pids.max'), '1')
      } finally {
        rmdirSync(trial)
      }
      return true
    } catch {
      return false
    }
  })
}

/** Version 1: below our cgroup. Version 2: beside it, as a cgroup with processes limits nothing below. */
function candidates(): readonly string[] {
  const mounts = read('/proc/self/mounts').matchAll(/^\S+ (\S+) (cgroup2?) (\S+)/gm)
  const own = [...read('/proc/self/cgroup').matchAll(/^\d+:(.*?):(.*)$/gm)]
  return [...mounts].flatMap(([, mount = '', type, options = '']) => {
    if (type === 'cgroup' && !options.split(',').includes('pids')) return []
    const path = own.find(([, names = '']) =>
      type === 'cgroup' ? names.split(',').includes('pids') : names === '',
    )?.[2]
    if (path === undefined) return []
    const parent = join(mount, type === 'cgroup' ? path : dirname(path))
    return existsSync(parent) ? [parent] : []
  })
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

export const newCgroupPath = (parent: string): string => join(parent, `sshawl-${process.pid}-${++made}`)

/** Returns a script that moves the shell and its children into a new cgroup, or exits with 126. */
export const enterScript = (cgroup: string, processes: number): string =>
  `{ mkdir '${cgroup}' && echo ${processes + OWN_PROCESSES} > '${cgroup}/pids.max' && echo 0 > '${cgroup}/cgroup.procs'; } || exit 126`

/** Removes a cgroup when its processes are gone. Never rejects: an empty one that stays costs nothing. */
export async function removeCgroup(cgroup: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await rmdir(cgroup)
    } catch {
      if (!existsSync(cgroup)) return
      await delay(10)
    }
  }
}
