import { randomUUID } from 'node:crypto'
import { lstat, opendir, realpath, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../base/errors.ts'
import { holdDirectory } from './follow-path.ts'

/** Deeper directories are skipped: each directory on the way is held open. */
const MAX_DEPTH = 64

/**
 * Removes the files below a directory that were not changed, moved or renamed since `before` (ms since the
 * epoch), if `isFor` accepts their names. Keeps directories. Compares the ctime, which no program can set;
 * archives bring old modification times. Commands may run there meanwhile: no link can lead the removal
 * outside. Continues after an error, and rejects with the first.
 */
export async function removeOldFiles(
  directory: string,
  before: number,
  isFor: (name: string) => boolean = () => true,
): Promise<void> {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) return
  let failed: unknown
  const removeIn = async (path: string, depth: number): Promise<void> => {
    try {
      await using held = await holdDirectory(root, path, path)
      for await (const entry of await opendir(held.path)) {
        const inside = join(held.path, entry.name)
        if (entry.isDirectory()) {
          if (depth < MAX_DEPTH) await removeIn(inside, depth + 1)
        } else if (isFor(entry.name) && (await lstat(inside)).ctimeMs < before) await unlink(inside)
      }
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') failed ??= error
    }
  }
  await removeIn(root, 0)
  if (failed !== undefined) throw failed
}

const DRAFT = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.draft$/

/** The name of a file that is written beside its target and then renamed. */
export const draftName = (): string => `.${randomUUID()}.draft`

export const isDraftName = (name: string): boolean => DRAFT.test(name)

/** Removes drafts that a server left when it crashed, as `removeOldFiles` does. */
export const removeOldDrafts = (directory: string, before: number): Promise<void> =>
  removeOldFiles(directory, before, isDraftName)
