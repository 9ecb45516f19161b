import { constants } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../../lib/errors.ts'
import { WorkspaceError } from '../../tools/workspace.ts'

/** Where commands in the sandbox see their workspace; paths that begin with it are taken for paths inside. */
export const MOUNT_POINT = '/workspace'

/** Codes for a path that does not exist, also one below a file or with a name that no file can have. */
const NOTHING_THERE: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']

/** Longer paths are refused by the kernel (`PATH_MAX`). */
const MAX_PATH_BYTES = 4096

/**
 * The real path that `path` leads to, as the kernel would walk it: part by part, each link followed before
 * the next `..`. What does not exist yet is taken as it is written. `root` is a real path.
 * Throws `WorkspaceError` for every path that leaves the root on its way, even if it comes back.
 */
export async function followPath(root: string, path: string): Promise<{ real: string; exists: boolean }> {
  let real = root
  let exists = true
  for (const part of partsInside(root, path)) {
    if (part === '..') {
      if (real === root) throw outside(path)
      real = dirname(real)
      continue
    }
    const next = join(real, part)
    const target: string | undefined = exists ? await realPathOf(next, path) : undefined
    exists = target !== undefined
    real = target ?? next
    if (!isInside(root, real)) throw outside(path)
  }
  return { real, exists }
}

/** True if `path` is `root` or below it; both are real paths. */
export const isInside = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

/** A path that leaves the workspace. */
export const outside = (path: string): WorkspaceError =>
  new WorkspaceError(`${quoted(path)} is outside the workspace; use a path inside it, such as src/main.c`)

/** A path as messages show it. */
export function quoted(path: string): string {
  return `'${path.length > 200 ? `${path.slice(0, 200)}…` : path}'`
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
  throw outside(path)
}

/** Undefined if nothing is there. Refuses a link that leads nowhere: writing through it could lead outside. */
async function realPathOf(path: string, shown: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!NOTHING_THERE.includes(errorCode(error))) throw unreachable(shown, error)
  }
  if (await lstat(path).catch(() => undefined)) {
    throw new WorkspaceError(`${quoted(shown)} is a link that leads nowhere`)
  }
  return undefined
}

/** An error of the file system in words that show no path outside the workspace. */
export function unreachable(path: string, error: unknown): WorkspaceError {
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

/** A directory that is held open: `path` leads to it even if its name is given to something else meanwhile. */
export interface HeldDirectory extends AsyncDisposable {
  readonly path: string
}

/**
 * Opens a directory inside the root. The open directory is checked, not its name, which messages show as `shown`.
 * Throws `WorkspaceError` for one outside, and the error of the file system for a link or no directory.
 */
export async function holdDirectory(root: string, path: string, shown: string): Promise<HeldDirectory> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const held = await heldPath(handle, path)
  if (!isInside(root, held.real)) {
    await handle.close()
    throw outside(shown)
  }
  return { path: held.path, [Symbol.asyncDispose]: () => handle.close() }
}

/** On Linux a path can lead through an open directory (proc_pid_fd(5)); elsewhere its name is used. */
async function heldPath(handle: FileHandle, path: string): Promise<{ path: string; real: string }> {
  const link = `/proc/self/fd/${handle.fd}`
  const real = await readlink(link).catch(() => undefined)
  return real === undefined ? { path, real: path } : { path: link, real }
}
