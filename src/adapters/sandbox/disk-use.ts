import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { bytes } from '../../lib/bytes.ts'
import { WorkspaceError } from '../../tools/ports.ts'

/** More files and directories than this are not counted: a directory with so many is taken for full. */
const MOST_FILES = 200_000

/**
 * Bytes of disk that may still be written in a directory which may have `most`; 0 where it is full, and where it
 * cannot be read. `most` 0 is no limit.
 */
export async function diskLeft(directory: string, most: number): Promise<number> {
  if (most === 0) return Infinity
  let left = most
  let files = 0
  try {
    for await (const entry of await opendir(directory, { recursive: true })) {
      left -= await diskUse(join(entry.parentPath, entry.name))
      if (left <= 0 || ++files > MOST_FILES) return 0
    }
  } catch {
    return 0
  }
  return left
}

/** stat(2) counts blocks of 512 bytes. What is gone meanwhile takes none. */
const diskUse = async (path: string): Promise<number> =>
  ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512

/** Nothing more can be written until something is deleted. */
export const diskFull = (most: number): WorkspaceError =>
  new WorkspaceError(
    `the workspace is full (${bytes(most)} and ${MOST_FILES} files are allowed), or a directory in it cannot be read; delete what is not needed`,
  )
