import { watch, type FSWatcher } from 'node:fs'
import type { Log } from '../../chat/ports.ts'

/** One save is several events, and one deployment several saves. */
const quietMs = 100

/**
 * Calls `changed` a moment after `.tool` files of these directories came, went or changed. A directory that
 * cannot be watched is logged and left alone. Closing ends it at once; the watch alone keeps no process alive.
 */
export function watchDirectories(dirs: readonly string[], changed: () => void, log: Log): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  const heard = (_: string, name: string | null): void => {
    if (name !== null && !name.endsWith('.tool')) return
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs).unref()
  }
  const watchers = dirs.flatMap((dir) => watchDirectory(dir, heard, log) ?? [])
  return {
    close() {
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

function watchDirectory(
  dir: string,
  heard: (event: string, name: string | null) => void,
  log: Log,
): FSWatcher | undefined {
  const lost = (error: unknown): void =>
    log.warn({ dir, error: String(error) }, 'a directory cannot be watched')
  try {
    return watch(dir, { persistent: false }, heard).on('error', lost)
  } catch (error) {
    lost(error)
    return undefined
  }
}
