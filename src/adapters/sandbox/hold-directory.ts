import { constants } from 'node:fs'
import { open, readlink, type FileHandle } from 'node:fs/promises'
import { isInside, outside } from './follow-path.ts'

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
