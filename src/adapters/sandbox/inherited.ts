import { readdirSync, readFileSync } from 'node:fs'

/** A descriptor above this is not covered: each one below costs a place in the list that a command is started with. */
const MAX_COVERED = 4096

/** O_CLOEXEC of Linux (open(2)), as /proc writes it: octal. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * The file descriptors that whoever started the server left open, and that every child would get: a shell's `exec 200<dir`
 * gives a command in the sandbox all that is behind it. Node opens its own so that no child has them, and closes only the
 * first few of these (proc_pid_fdinfo(5)). None where there is no /proc.
 */
export function inheritedDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd >= FIRST && fd <= MAX_COVERED && !closesOnExec(fd))
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
    // The one that the list itself was read with.
    return true
  }
}

/** The first descriptor after input, output and errors. */
export const FIRST = 3

/** What a child gets as one of its descriptors. */
type Place = 'pipe' | 'ignore' | Uint8Array

/** What a child is given in the place of a descriptor: an input that has ended. */
const NOTHING = new Uint8Array(0)

/**
 * The descriptors of a child from 3 on: `further`, and nothing in the place of each other inherited one. They stay open in the
 * server, since one of them may be a lock.
 */
export function covered(further: readonly Place[], inherited: readonly number[]): readonly Place[] {
  const places = Math.max(further.length, (inherited.at(-1) ?? 0) + 1 - FIRST)
  return Array.from(
    { length: places },
    (_, index) => further[index] ?? (inherited.includes(FIRST + index) ? NOTHING : 'ignore'),
  )
}
