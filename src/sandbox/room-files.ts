import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, open, opendir, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../base/errors.ts'
import { type FileFacts, type FileTree, NoSuchFile, type OpenFile, type OpenMode } from '../base/file-tree.ts'
import type { FileAuthor } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { followPath, holdDirectory, quoted, pathError, type HeldDirectory } from './follow-path.ts'
import { draftName } from './old-files.ts'
import { openInside } from './read-text.ts'
import type { RoomDisk } from './room-disk.ts'
import type { FileVersions } from './versions.ts'

/**
 * The files of one workspace, byte for byte. Paths are relative to the workspace, without `.` and `..`; '' is
 * the top. Follows no links. Rejects with `WorkspaceError` and `NoSuchFile`.
 */
export class RoomFiles implements FileTree {
  readonly #root: () => Promise<string>
  readonly #disk: RoomDisk
  readonly #space: UploadSpace
  readonly #changes: FileChanges

  constructor(root: () => Promise<string>, space: UploadSpace, changes: FileChanges) {
    this.#root = root
    this.#disk = space.disk
    this.#space = space
    this.#changes = changes
  }

  facts(path: string): Promise<FileFacts> {
    return explainErrors(path, async () => {
      await using parent = await this.#parentOf(path)
      return factsOf(basename(path), await lstat(join(parent.path, basename(path))))
    })
  }

  async *list(path: string): AsyncGenerator<FileFacts, void, void> {
    await using held = await explainErrors(path, () => this.#hold(path, path))
    for await (const { name } of await opendir(held.path)) {
      const stats = await lstat(join(held.path, name)).catch(() => undefined)
      if (stats) yield factsOf(name, stats)
    }
  }

  open(path: string, how: OpenMode, check: Check = async () => {}): Promise<OpenFile> {
    return explainErrors(path, async () => {
      const root = await this.#root()
      if (how !== 'read') return await this.#upload(root, path, how, check)
      return openedFile(path, await openInside(root, await realPath(root, path, path), path), check)
    })
  }

  makeDirectory(path: string): Promise<void> {
    return explainErrors(path, async () => {
      await using parent = await this.#parentOf(path)
      await this.#disk.assertSpace(await this.#root())
      await mkdir(join(parent.path, basename(path)), { mode: 0o755 })
    })
  }

  remove(path: string, kind: 'file' | 'directory'): Promise<void> {
    return explainErrors(path, async () => {
      await using parent = await this.#parentOf(path)
      const entry = join(parent.path, basename(path))
      if (kind === 'directory') return await rmdir(entry)
      const root = await this.#root()
      await this.#changes.alone(async () => {
        await this.#keep(root, path)
        await unlink(entry)
      })
    })
  }

  rename(path: string, to: string): Promise<void> {
    return explainErrors(path, async () => {
      await using from = await this.#parentOf(path)
      await using into = await this.#parentOf(to)
      const target = join(into.path, basename(to))
      if (await lstat(target).catch(() => undefined)) throw existsError(to)
      await rename(join(from.path, basename(path)), target)
    })
  }

  async #upload(root: string, path: string, how: OpenMode, check: Check): Promise<OpenFile> {
    const parent = await this.#parentOf(path)
    try {
      const old = await lstat(join(parent.path, basename(path))).catch(() => undefined)
      if (old && how === 'create') throw existsError(path)
      if (old && !old.isFile()) throw new WorkspaceError(`${quoted(path)} is not a regular file`)
      await this.#space.count(root)
      const name = draftName()
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      const file = await open(join(parent.path, name), flags, 0o600)
      const mode = (old?.mode ?? 0o644) & 0o777
      const grow = (bytes: number): Promise<void> => this.#space.grow(root, bytes)
      const replace = (work: () => Promise<void>): Promise<void> =>
        this.#changes.alone(async () => {
          await this.#keep(root, path, {})
          await work()
        })
      return openedFile(path, file, check, { parent, name, mode, grow, replace })
    } catch (error) {
      await parent[Symbol.asyncDispose]()
      throw error
    }
  }

  #parentOf(path: string): Promise<HeldDirectory> {
    if (path === '') throw new WorkspaceError('the workspace itself stays as it is')
    return this.#hold(dirname(path) === '.' ? '' : dirname(path), path)
  }

  async #hold(directory: string, shown: string): Promise<HeldDirectory> {
    const root = await this.#root()
    return await holdDirectory(root, await realPath(root, directory, shown), shown)
  }

  /** Stores the file as a version before `next` replaces it or it is removed. */
  async #keep(root: string, path: string, next?: object): Promise<void> {
    const { versions, author } = this.#changes
    const left = await this.#disk.left(root)
    await versions.beforeChange({ real: join(root, path), root, author, left, ...(next && { next }) })
  }
}

interface FileChanges {
  readonly author: FileAuthor
  readonly versions: FileVersions
  /** Runs one change of the room's files at a time. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

/** Counts what all uploads of a room may still write. */
export class UploadSpace {
  readonly disk: RoomDisk
  #bytesLeft = 0

  constructor(disk: RoomDisk) {
    this.disk = disk
  }

  /** Subtracts the written bytes of all uploads. Counts the disk again before it refuses. */
  async grow(root: string, bytes: number): Promise<void> {
    if (bytes > this.#bytesLeft) await this.count(root)
    if (bytes > this.#bytesLeft) throw this.disk.full()
    this.#bytesLeft -= bytes
  }

  async count(root: string): Promise<void> {
    this.#bytesLeft = await this.disk.assertSpace(root)
  }
}

type Check = (bytes: number) => Promise<void>

const existsError = (path: string): WorkspaceError => new WorkspaceError(`${quoted(path)} exists already`)

/** Returns the path on disk. Throws `NoSuchFile`, and `WorkspaceError` if there is a link on the way. */
async function realPath(root: string, path: string, shown: string): Promise<string> {
  const { real, exists } = await followPath(root, path)
  if (!exists) throw new NoSuchFile('')
  if (real !== join(root, path)) throw new WorkspaceError(`${quoted(shown)} leads through a link`)
  return real
}

/** Rethrows errors of the file system in words that show no path outside the workspace. */
async function explainErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NoSuchFile) throw error
    const code = errorCode(error instanceof WorkspaceError ? error.cause : error)
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new NoSuchFile('', { cause: error })
    throw error instanceof WorkspaceError ? error : pathError(path, error)
  }
}

const factsOf = (name: string, stats: Stats): FileFacts => ({
  name,
  kind: stats.isDirectory() ? 'directory' : stats.isSymbolicLink() ? 'link' : 'file',
  size: stats.size,
  modifiedAt: stats.mtimeMs,
})

/** An upload is written beside its target, so that readers see the old file or the new one. */
interface Draft {
  readonly parent: HeldDirectory
  readonly name: string
  readonly mode: number
  readonly grow: (bytes: number) => Promise<void>
  /** Stores the old file as a version before `work` replaces it. */
  readonly replace: (work: () => Promise<void>) => Promise<void>
}

/** An upload has a draft; without one the file is read. The system refuses the opposite. */
function openedFile(path: string, file: FileHandle, check: Check, draft?: Draft): OpenFile {
  let size = 0
  let failed: { readonly why: unknown } | undefined

  async function step<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (failed) throw failed.why
    try {
      await check(bytes)
      return await explainErrors(path, work)
    } catch (error) {
      failed = { why: error }
      throw error
    }
  }

  async function publish(): Promise<void> {
    if (!draft) return
    const { parent, name, mode } = draft
    await file.chmod(mode)
    await file.sync()
    await draft.replace(() => rename(join(parent.path, name), join(parent.path, basename(path))))
  }

  async function abandon(): Promise<void> {
    await file.close().catch(() => undefined)
    if (!draft) return
    await rm(join(draft.parent.path, draft.name), { force: true }).catch(() => undefined)
    await draft.parent[Symbol.asyncDispose]()
  }

  return {
    facts: () => step(0, async () => factsOf(basename(path), await file.stat())),
    read: (offset, bytes) =>
      step(bytes, async () => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
        return buffer.subarray(0, bytesRead)
      }),
    write: (offset, data) =>
      step(data.length, async () => {
        const end = offset + data.length
        if (size === 0 && offset > 0)
          throw new WorkspaceError(`${quoted(path)} is put as a whole; nothing is appended or resumed`)
        // Writes below `size` count, too: they may fill a hole, which took no space before.
        await draft?.grow(Math.max(data.length, end - size))
        size = Math.max(size, end)
        const { bytesWritten } = await file.write(data, 0, data.length, offset)
        if (bytesWritten < data.length) throw new WorkspaceError('the disk is full')
      }),
    async close() {
      try {
        await step(0, publish)
      } finally {
        await abandon()
      }
    },
    abandon,
  }
}
