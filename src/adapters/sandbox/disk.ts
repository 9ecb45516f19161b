import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { bytes } from '../../lib/bytes.ts'
import { WorkspaceError } from '../../tools/ports/workspace.ts'

/** More files and directories than this are not counted: a directory with so many is taken for full. */
export const MAX_FILES = 200_000

/**
 * Bytes that may still be written in a directory whose limit is `allowed` bytes. 0 for a directory that is full or cannot
 * be read. `allowed` 0 is no limit.
 */
export async function diskLeft(directory: string, allowed: number): Promise<number> {
  if (allowed === 0) return Infinity
  let left = allowed
  let files = 0
  try {
    for await (const entry of await opendir(directory, { recursive: true })) {
      left -= await diskUse(join(entry.parentPath, entry.name))
      if (left <= 0 || ++files > MAX_FILES) return 0
    }
  } catch {
    return 0
  }
  return left
}

/** stat(2) counts blocks of 512 bytes. A file that was deleted meanwhile takes none. */
const diskUse = async (path: string): Promise<number> =>
  ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512

/** Nothing more can be written until something is deleted. */
export const diskFull = (allowed: number): WorkspaceError =>
  new WorkspaceError(
    `the workspace is full (${bytes(allowed)} and ${MAX_FILES} files are allowed), or a directory in it cannot be read; delete what is not needed`,
  )

/** What is free on a directory's file system; undefined where the directory is gone. */
export async function freeSpace(directory: string): Promise<{ bytes: number; files: number } | undefined> {
  const found = await statfs(directory).catch(() => undefined)
  return found && { bytes: found.bavail * found.bsize, files: found.ffree }
}

/** Less than this is nothing: a file that met its limit leaves a part of a block. */
const NOTHING_BYTES = 64 * 1024

/** Others use the file system as well: whether it lost less than this says nothing. */
const MIN_TOLD_BYTES = 64 * 1024 * 1024

/** Gives the function that says whether a directory with a limit was filled since. It counts files only where that can be. */
export async function watchFilling(
  directory: string,
  allowed: number,
  left: number,
): Promise<() => Promise<boolean>> {
  if (!Number.isFinite(left)) return async () => false
  const before = await freeSpace(directory)
  return async () => {
    const now = await freeSpace(directory)
    const cannotBe = before && now && before.bytes - now.bytes < left / 2
    if (cannotBe && left > MIN_TOLD_BYTES) return false
    return (await diskLeft(directory, allowed)) < NOTHING_BYTES
  }
}
