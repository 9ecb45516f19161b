import { readdirSync, readFileSync } from 'node:fs'

/** Higher descriptors are not covered: a child's stdio list has an entry for each one up to the highest. */
const MAX_COVERED = 4096

/** O_CLOEXEC of Linux (open(2)), as /proc writes it: octal. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Returns the descriptors that the server inherited and that every child would get: after a shell's `exec
 * 200<dir`, a command in the sandbox could read that directory. Node opens its own descriptors so that no
 * child gets them, and closes only the first few inherited ones (proc_pid_fdinfo(5)). Returns [] without
 * /proc.
 */
export function inheritedDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd >= FIRST_EXTRA_FD && fd <= MAX_COVERED && !closesOnExec(fd))
      .toSorted((a, b) => a - b)
  } catch {
    return []
  }
}

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    // The directory listing itself was read through this descriptor.
    return true
  }
}

export const FIRST_EXTRA_FD = 3

/** Bytes are written to a pipe. */
type ChildDescriptor = 'pipe' | 'ignore' | Uint8Array

/** Placeholder for an inherited descriptor: an input that is already at its end. */
const NOTHING = new Uint8Array(0)

/**
 * Returns the child's descriptors from 3 on: `further`, then an empty input instead of each descriptor that
 * the server inherited. The server's own copies stay open, since one may be a lock.
 */
export function coverInherited(
  further: readonly ChildDescriptor[],
  inherited: readonly number[],
): readonly ChildDescriptor[] {
  const places = Math.max(further.length, (inherited.at(-1) ?? 0) + 1 - FIRST_EXTRA_FD)
  return Array.from(
    { length: places },
    (_, index) => further[index] ?? (inherited.includes(FIRST_EXTRA_FD + index) ? NOTHING : 'ignore'),
  )
}
