import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execaSync } from 'execa'

/** Undefined where this user may not mount one. */
export function tinyDisk(mebibytes = 8) {
  const path = mkdtempSync(join(tmpdir(), 'sshawl-disk-'))
  const mounted = execaSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', path], {
    reject: false,
  })
  if (mounted.failed) {
    rmSync(path, { recursive: true })
    return undefined
  }
  return {
    path,
    /** Nothing on it can be changed from now on. */
    makeReadOnly: () => void execaSync('mount', ['-o', 'remount,ro', path]),
    /** Leaves no room on it, until that is freed. */
    fill(): { free(): void } {
      const fillers = [1_000_000, 10_000, 512].map((size) => ({ size, file: join(path, `filler${size}`) }))
      for (const { size, file } of fillers) fillWith(file, size)
      return { free: () => fillers.forEach(({ file }) => rmSync(file)) }
    },
    [Symbol.dispose]() {
      execaSync('umount', ['-l', path])
      rmSync(path, { recursive: true })
    },
  }
}

/** Writes pieces of this size until there is no room for another. */
function fillWith(file: string, size: number): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
  } catch {
    // The disk is full.
  }
}
