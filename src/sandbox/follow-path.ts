import { constants } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../base/errors.ts'
import { WorkspaceError } from '../words/errors.ts'
import { visibleLine } from '../base/text/visible-text.ts'

/** Where sandboxed commands see their workspace. Paths that begin with it count as paths in the workspace. */
export const MOUNT_POINT = '/workspace'

/** Codes for a path that does not exist, is below a file or has too long a name. */
const NOTHING_THERE: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']

/** Longer paths are refused by the kernel (`PATH_MAX`). */
const MAX_PATH_BYTES = 4096

/**
 * Resolves `path` as the kernel would: part by part, each link followed before the next `..`. Keeps parts
 * that do not exist yet as they are written. `root` is a real path. Throws `WorkspaceError` for every path
 * that leaves the root on its way, even if it comes back.
 */
export async function followPath(root: string, path: string): Promise<{ real: string; exists: boolean }> {
  let real = root
  let exists = true
  for (const part of partsInside(root, path)) {
    if (part === '..') {
      if (real === root) throw outsideError(path)
      real = dirname(real)
      continue
    }
    const next = join(real, part)
    const target: string | undefined = exists ? await realPathOf(next, path) : undefined
    exists = target !== undefined
    real = target ?? next
    if (!isInside(root, real)) throw outsideError(path)
  }
  return { real, exists }
}

/** True if `path` is `root` or below it; both are real paths. */
export const isInside = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

export const outsideError = (path: string): WorkspaceError =>
  new WorkspaceError(`${quoted(path)} is outside the workspace; use a path inside it, such as src/main.c`)

export function quoted(path: string): string {
  return `'${visibleLine(path.length > 200 ? `${path.slice(0, 200)}…` : path)}'`
}

function partsInside(root: string, path: string): readonly string[] {
  if (path.includes('\0')) throw new WorkspaceError('a path cannot hold a NUL byte')
  if (Buffer.byteLength(path) >= MAX_PATH_BYTES)
    throw new WorkspaceError(`${quoted(path)} is too long for a path`)
  return relativeTo(root, path)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
}

function relativeTo(root: string, path: string): string {
  if (!path.startsWith('/')) return path
  for (const top of [MOUNT_POINT, root]) {
    if (isInside(top, path)) return path.slice(top.length)
  }
  throw outsideError(path)
}

/** Undefined if nothing is there. Throws for a dangling link: writing through it could lead outside. */
async function realPathOf(path: string, shown: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!NOTHING_THERE.includes(errorCode(error))) throw pathError(shown, error)
  }
  if (await lstat(path).catch(() => undefined)) {
    throw new WorkspaceError(`${quoted(shown)} is a link that leads nowhere`)
  }
  return undefined
}

/** Converts an error of the file system to a message that shows no path outside the workspace. */
export function pathError(path: string, error: unknown): WorkspaceError {
  const code = errorCode(error) ?? 'unknown'
  const reason = REASONS[code] ?? `cannot be read (${code})`
  return new WorkspaceError(`${quoted(path)} ${reason}`, { cause: error })
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of it is not a directory',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ELOOP: 'is a loop of links, or became a link while it was being opened',
  ENAMETOOLONG: 'is too long for a path',
  ENXIO: 'is not a regular file',
  EEXIST: 'exists already',
  ENOTEMPTY: 'is a directory that is not empty',
  ENOSPC: 'does not fit on the disk',
}

/** An open directory: `path` leads to it even if its name is given to something else meanwhile. */
export interface HeldDirectory extends AsyncDisposable {
  readonly path: string
}

/**
 * Opens a directory inside the root, and checks the open directory, not its name; `shown` is its name in
 * messages. Throws `WorkspaceError` if it is outside, and the file system's error for a link or no directory.
 */
export async function holdDirectory(root: string, path: string, shown: string): Promise<HeldDirectory> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const held = await openedPath(handle, path)
  if (!isInside(root, held.real)) {
    await handle.close()
    throw outsideError(shown)
  }
  return { path: held.path, [Symbol.asyncDispose]: () => handle.close() }
}

/** Returns a path through the open directory on Linux (proc_pid_fd(5)), elsewhere its name. */
async function openedPath(handle: FileHandle, path: string): Promise<{ path: string; real: string }> {
  const link = `/proc/self/fd/${handle.fd}`
  const real = await readlink(link).catch(() => undefined)
  return real === undefined ? { path, real: path } : { path: link, real }
}
