import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { watch } from 'chokidar'
import type { Log } from '../../chat/ports.ts'

/** One save is several events, and one deployment several saves. */
const QUIET_MS = 100

/**
 * Calls `changed` a moment after a `.tool` file of these directories came, went, changed or, being a link, leads
 * elsewhere. A directory that is missing is watched from the time when it is made. What cannot be watched is logged.
 * Resolves when no change can be missed any more. The watch alone keeps no process alive.
 */
export async function watchDirectories(
  dirs: readonly string[],
  changed: () => void,
  log: Log,
): Promise<AsyncDisposable> {
  const places = await Promise.all(dirs.map(findPlace))
  const watcher = watch([], {
    persistent: false,
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => !places.some(({ dir }) => concerns(path, dir)),
  })
  watcher.on('error', (error) => log.warn({ dirs, error: String(error) }, 'a directory cannot be watched'))
  const ready = new Promise<void>((resolve) => watcher.once('ready', resolve))
  watcher.add(places.map(({ start }) => start))
  if (places.length > 0) await ready
  let timer: NodeJS.Timeout | undefined
  watcher.on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(changed, QUIET_MS).unref()
  })
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

/** A directory by its real path, and where its watch begins: there, or at the nearest one above it that exists. */
async function findPlace(path: string): Promise<{ readonly dir: string; readonly start: string }> {
  const dir = await realpath(path).catch(() => undefined)
  if (dir !== undefined) return { dir, start: dir }
  const above = await findPlace(dirname(path))
  return { dir: join(above.dir, basename(path)), start: above.start }
}

/** True for the directory, those above it, and the `.tool` files in it. */
const concerns = (path: string, dir: string): boolean =>
  path === dir ||
  dir.startsWith(path.endsWith('/') ? path : `${path}/`) ||
  (dirname(path) === dir && path.endsWith('.tool'))
