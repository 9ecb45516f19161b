import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { bytes } from '../base/amounts.ts'
import { errorCode } from '../base/errors.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import type { FileAuthor } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { followPath, holdDirectory, quoted, pathError, type HeldDirectory } from './follow-path.ts'
import { draftName } from './old-files.ts'
import { readText } from './read-text.ts'
import type { FileVersions } from './versions.ts'

/** Longer names are refused by the file systems of Linux (`NAME_MAX`). */
const MAX_NAME_BYTES = 255

/** Where files may be changed, who changes them, and where their old versions are kept. */
export interface ChangePlace {
  /** A real path. */
  readonly root: string
  readonly versions: FileVersions
  readonly author: FileAuthor
  /** Bytes that the room may still take. */
  readonly left: number
  readonly maxBytes: number
}

/**
 * Replaces the text of a file inside the root, or creates the file with its parent directories. Writes the
 * new text as a whole or not at all, and keeps the old text as a version. `change` gets the old text, or
 * undefined for a new file; errors of `change` are rethrown. Throws `WorkspaceError`.
 */
export async function changeText(
  place: ChangePlace,
  path: string,
  change: (old: string | undefined) => string,
): Promise<{ readonly created: boolean }> {
  const { real, old } = await readOld(place, path)
  const text = change(old)
  if (Buffer.byteLength(text) > place.maxBytes) {
    throw new WorkspaceError(`the text is too large (at most ${bytes(place.maxBytes)})`)
  }
  try {
    const { root, author, versions, left } = place
    const hash = createHash('sha256').update(text).digest('hex')
    const size = Buffer.byteLength(text)
    await versions.beforeChange({ real, root, author, next: { hash }, left: left - size })
    await using directory = await openDirectory(place.root, dirname(real), path)
    await replaceFile(directory.path, basename(real), text)
  } catch (error) {
    throw error instanceof WorkspaceError ? error : pathError(path, error)
  }
  return { created: old === undefined }
}

/** Throws `WorkspaceError` if `changeText` would do so for every new text. */
export async function checkChange(
  place: Pick<ChangePlace, 'root' | 'maxBytes'>,
  path: string,
): Promise<void> {
  const { real, old } = await readOld(place, path)
  if (old === undefined) await checkParents(place.root, real, path)
}

async function readOld(
  place: Pick<ChangePlace, 'root' | 'maxBytes'>,
  path: string,
): Promise<{ real: string; old: string | undefined }> {
  const { real, exists } = await followPath(place.root, path)
  if (real === place.root || path.endsWith('/')) throw new WorkspaceError(`${quoted(path)} is a directory`)
  if (!exists && visibleLine(path) !== path)
    throw new WorkspaceError(
      `${quoted(path)} has control or invisible characters, which are not allowed in names`,
    )
  const old = exists ? (await readText(place.root, path, {}, place.maxBytes)).text : undefined
  return { real, old }
}

/** Throws if a parent of a new file is not a directory or a name is too long. Parents may be missing. */
async function checkParents(root: string, real: string, shown: string): Promise<void> {
  const isTooLong = (name: string): boolean => Buffer.byteLength(name) > MAX_NAME_BYTES
  if (relative(root, real).split('/').some(isTooLong))
    throw new WorkspaceError(`${quoted(shown)} is too long for a path`)
  let missing = true
  for (let current = dirname(real); missing; current = dirname(current)) {
    missing = await lstat(`${current}/.`).then(
      () => false,
      (error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw pathError(shown, error)
        return true
      },
    )
  }
}

/** Opens a directory inside the root. Creates missing directories on the way to it. */
export async function openDirectory(root: string, real: string, shown: string): Promise<HeldDirectory> {
  let current = await holdDirectory(root, root, shown)
  for (const part of relative(root, real)
    .split('/')
    .filter((each) => each !== '')) {
    await using outer = current
    const next = join(outer.path, part)
    await mkdir(next, { mode: 0o755 }).catch(ignoreExisting)
    current = await holdDirectory(root, next, shown)
  }
  return current
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error
}

/** Writes beside the file and renames: readers see the old text or the new one, also after a crash. */
async function replaceFile(directory: string, name: string, text: string): Promise<void> {
  const target = join(directory, name)
  const draft = join(directory, draftName())
  const mode = (await lstat(target).catch(() => undefined))?.mode ?? 0o644
  try {
    await writeFile(draft, text, { flag: 'wx', flush: true })
    await chmod(draft, mode & 0o777)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
