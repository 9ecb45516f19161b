import type { Dirent } from 'node:fs'
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** What the files of a directory may be. */
export interface DiskLimits {
  /** What they may take on disk; 0: no limit, also not in number. */
  readonly diskBytes: number
  /** How many files and directories there may be, empty ones too: each takes an inode, which the file system has a number of. */
  readonly files: number
}

/** So much, of both. */
export interface Space {
  readonly bytes: number
  readonly files: number
}

/** What may still be made in a directory: nothing more where either is 0 or less. A directory that cannot be read is full. */
export async function spaceLeft(directory: string, limits: DiskLimits): Promise<Space> {
  if (limits.diskBytes === 0) return { bytes: Infinity, files: Infinity }
  try {
    const files = limits.files - (await countFiles(directory))
    return { bytes: files > 0 ? await bytesLeft(directory, limits) : 0, files }
  } catch {
    return { bytes: 0, files: 0 }
  }
}

/** Files and directories below a directory, empty ones too, counted up to `most`. Their names alone are read: that is ten times as fast. */
export async function countFiles(directory: string, most = Infinity): Promise<number> {
  let count = 0
  for await (const _ of entriesBelow(directory)) if (++count >= most) break
  return count
}

/** What may still be written. */
export async function bytesLeft(directory: string, { diskBytes }: DiskLimits): Promise<number> {
  let left = diskBytes
  for await (const entry of entriesBelow(directory)) {
    left -= await diskUse(join(entry.parentPath, entry.name))
    if (left <= 0) return 0
  }
  return left
}

/** Names that are read at once: with node's own number of 32, many files take four times as long. */
const NAMES_AT_ONCE = 2048

/** What is deleted meanwhile is passed over. Rejects where a directory cannot be read. */
async function* entriesBelow(top: string): AsyncIterable<Dirent> {
  const directories = [top]
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    for await (const entry of (await openIfThere(path)) ?? []) {
      if (entry.isDirectory()) directories.push(join(path, entry.name))
      yield entry
    }
  }
}

const openIfThere = (path: string) =>
  opendir(path, { bufferSize: NAMES_AT_ONCE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** stat(2) counts blocks of 512 bytes. A file that was deleted meanwhile takes none. */
const diskUse = async (path: string): Promise<number> =>
  ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512

/** What is free on a directory's file system; undefined where the directory is gone. Some file systems do not count files. */
export async function freeSpace(directory: string): Promise<Space | undefined> {
  const found = await statfs(directory).catch(() => undefined)
  return found && { bytes: found.bavail * found.bsize, files: found.ffree }
}
