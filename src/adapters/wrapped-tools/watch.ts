import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { watch } from 'chokidar'
import type { Log } from '../../chat/ports.ts'
import { createSerial } from '../../lib/jobs/serial.ts'

/** One save is several events, and one deployment several saves. */
const QUIET_MS = 100

/** The kernel follows no more links than this on one path (path_resolution(7)). */
const MAX_LINKS = 40

/** Something that is watched: a directory, or a link that leads to one. */
interface WatchedPath {
  readonly path: string
  /** Where the watch begins: at the directory, or at the nearest one above that exists. */
  readonly start: string
  /** Changes when another directory takes the place of this one. */
  readonly identity: string | undefined
}

/**
 * Calls `changed` a moment after a `.tool` file of these directories came, went, changed or, being a link, leads
 * elsewhere; also when a directory comes that was missing, or is replaced, or a link on the way to it is. What cannot be
 * watched is logged. Resolves when no change can be missed any more. The watch alone keeps no process alive.
 */
export async function watchDirectories(
  dirs: readonly string[],
  changed: () => void,
  log: Log,
): Promise<AsyncDisposable> {
  const oneByOne = createSerial()
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let isChanged = false
  const soon = (event: WatchEvent): void => {
    isChanged ||= event === 'change'
    timer ??= setTimeout(() => void oneByOne(follow), QUIET_MS).unref()
  }
  const begin = (places: readonly WatchedPath[]) => watchPlaces(places, soon, log)
  let places = await findPlaces(dirs)
  let watching = await begin(places)

  /** Watches what the paths mean now, before anybody reads it. */
  async function follow(): Promise<void> {
    timer = undefined
    const hasChange = isChanged
    isChanged = false
    const now = await findPlaces(dirs)
    if (ended.signal.aborted) return
    const isMoved = JSON.stringify(now) !== JSON.stringify(places)
    if (isMoved) {
      const before = watching
      watching = await begin(now)
      places = now
      await before[Symbol.asyncDispose]()
    }
    if (isMoved || hasChange) changed()
  }

  return {
    async [Symbol.asyncDispose]() {
      ended.abort()
      clearTimeout(timer)
      await oneByOne(async () => await watching[Symbol.asyncDispose]())
    },
  }
}

/** `sign` is anything that the system reports of the directories: another one may have taken the place of one of them. */
type WatchEvent = 'change' | 'sign'

async function watchPlaces(
  places: readonly WatchedPath[],
  report: (event: WatchEvent) => void,
  log: Log,
): Promise<AsyncDisposable> {
  const watcher = watch([], {
    persistent: false,
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => !places.some((place) => concerns(path, place.path)),
  })
  const starts = [...new Set(places.map(({ start }) => start))]
  watcher.on('error', (error) => log.warn({ starts, error: String(error) }, 'a directory cannot be watched'))
  const ready = new Promise<void>((done) => watcher.once('ready', done))
  watcher.add(starts)
  if (starts.length > 0) await ready
  watcher.on('all', () => report('change'))
  // A directory that is replaced between two looks is no change to chokidar, if the new one has files of the same names.
  watcher.on('raw', () => report('sign'))
  return { [Symbol.asyncDispose]: () => watcher.close() }
}

/** The directories by their real paths, and every link that leads to one of them. */
async function findPlaces(dirs: readonly string[]): Promise<readonly WatchedPath[]> {
  const paths = dirs.map((dir) => resolve(dir))
  const links = await Promise.all(paths.map((path) => linksOn(path, MAX_LINKS)))
  return Promise.all([...paths.map(findDirectory), ...links.flat().map(findLink)])
}

async function findDirectory(path: string): Promise<WatchedPath> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined) return { path: real, start: real, identity: await identityOf(real) }
  const above = await findDirectory(dirname(path))
  return { ...above, path: join(above.path, basename(path)) }
}

async function findLink(link: string): Promise<WatchedPath> {
  const above = await findDirectory(dirname(link))
  return { ...above, path: join(above.path, basename(link)) }
}

/** The number alone may be given to the next directory. */
const identityOf = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ ino, birthtimeMs }) => `${ino} ${birthtimeMs}`,
    () => undefined,
  )

/** The links on the way to a path, those that the links lead through included. */
async function linksOn(path: string, most: number): Promise<readonly string[]> {
  const above = dirname(path)
  if (above === path || most === 0) return []
  const before = await linksOn(above, most)
  const target = await readlink(path).catch(() => undefined)
  if (target === undefined) return before
  return [...before, path, ...(await linksOn(resolve(above, target), most - 1))]
}

/** True for the place, the directories above it, and the `.tool` files in it. */
const concerns = (path: string, place: string): boolean =>
  path === place ||
  place.startsWith(path.endsWith('/') ? path : `${path}/`) ||
  (dirname(path) === place && path.endsWith('.tool'))
