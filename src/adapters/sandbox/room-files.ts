import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, open, opendir, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../lib/errors.ts'
import {
  type FileFacts,
  type FileTree,
  NoSuchFile,
  type OpenFile,
  type OpenMode,
} from '../../lib/file-tree.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import { WorkspaceError } from '../../tools/workspace.ts'
import { followPath, holdDirectory, quoted, unreachable, type HeldDirectory } from './follow-path.ts'
import { openInside } from './read-text.ts'
import type { RoomDisk } from './room-disk.ts'

const NAMES_AT_ONCE = 100

/**
 * The files of one workspace, byte for byte. Paths are relative to it, without `.` and `..`; empty for the top.
 * No link is followed. Rejects with `WorkspaceError` and `NoSuchFile`.
 */
export class RoomFiles implements FileTree {
  readonly #root: () => Promise<string>
  readonly #disk: RoomDisk
  readonly #countOneByOne = createSerial()
  /** What all uploads together may still write, since the last count. */
  #bytesLeft = 0

  constructor(root: () => Promise<string>, disk: RoomDisk) {
    this.#root = root
    this.#disk = disk
  }

  facts(path: string): Promise<FileFacts> {
    return explained(path, async () => {
      if (path === '') return factsOf('', await lstat(await this.#root()))
      await using parent = await this.#parentOf(path)
      return factsOf(basename(path), await lstat(join(parent.path, basename(path))))
    })
  }

  async *list(path: string): AsyncGenerator<readonly FileFacts[], void, void> {
    await using held = await explained(path, () => this.#hold(path, path))
    let batch: FileFacts[] = []
    const directory = await explained(path, () => opendir(held.path))
    for await (const { name } of directory) {
      const stats = await lstat(join(held.path, name)).catch(() => undefined)
      if (stats) batch.push(factsOf(name, stats))
      if (batch.length < NAMES_AT_ONCE) continue
      yield batch
      batch = []
    }
    yield batch
  }

  open(path: string, how: OpenMode): Promise<OpenFile> {
    return explained(path, async () => {
      const root = await this.#root()
      if (how !== 'read') return await this.#upload(root, path, how)
      return downloadOf(path, await openInside(root, await realPath(root, path, path), path))
    })
  }

  makeDirectory(path: string): Promise<void> {
    return explained(path, async () => {
      await using parent = await this.#parentOf(path)
      await this.#disk.assertSpace(await this.#root())
      await mkdir(join(parent.path, basename(path)), { mode: 0o755 })
    })
  }

  remove(path: string, kind: 'file' | 'directory'): Promise<void> {
    return explained(path, async () => {
      await using parent = await this.#parentOf(path)
      await (kind === 'file' ? unlink : rmdir)(join(parent.path, basename(path)))
    })
  }

  rename(path: string, to: string): Promise<void> {
    return explained(path, async () => {
      await using from = await this.#parentOf(path)
      await using into = await this.#parentOf(to)
      const target = join(into.path, basename(to))
      if (await lstat(target).catch(() => undefined)) throw existing(to)
      await rename(join(from.path, basename(path)), target)
    })
  }

  async #upload(root: string, path: string, how: OpenMode): Promise<OpenFile> {
    const parent = await this.#parentOf(path)
    try {
      const old = await lstat(join(parent.path, basename(path))).catch(() => undefined)
      if (old && how === 'create') throw existing(path)
      if (old && !old.isFile()) throw new WorkspaceError(`${quoted(path)} is not a regular file`)
      await this.#count(root)
      const draft = `.${randomUUID()}.draft`
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      const file = await open(join(parent.path, draft), flags, 0o600)
      const mode = (old?.mode ?? 0o644) & 0o777
      const isWhole = !old || how !== 'rewrite'
      return new Upload(path, { parent, draft, file, mode, isWhole }, (bytes) => this.#grow(root, bytes))
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

  /** Counts what is written, in all uploads, and looks at the disk again before it refuses. */
  async #grow(root: string, bytes: number): Promise<void> {
    if (bytes > this.#bytesLeft) await this.#count(root)
    if (bytes > this.#bytesLeft) throw this.#disk.full()
    this.#bytesLeft -= bytes
  }

  #count(root: string): Promise<void> {
    return this.#countOneByOne(async () => {
      this.#bytesLeft = await this.#disk.assertSpace(root)
    })
  }
}

const existing = (path: string): WorkspaceError => new WorkspaceError(`${quoted(path)} exists already`)

/** The place of a path on disk. Throws `NoSuchFile`, and `WorkspaceError` if there is a link on the way. */
async function realPath(root: string, path: string, shown: string): Promise<string> {
  const { real, exists } = await followPath(root, path)
  if (!exists) throw new NoSuchFile('')
  if (real !== join(root, path)) throw new WorkspaceError(`${quoted(shown)} leads through a link`)
  return real
}

/** Errors of the file system, in words that show no path outside the workspace. */
async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NoSuchFile) throw error
    const code = errorCode(error instanceof WorkspaceError ? error.cause : error)
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new NoSuchFile('', { cause: error })
    throw error instanceof WorkspaceError ? error : unreachable(path, error)
  }
}

const factsOf = (name: string, stats: Stats): FileFacts => ({
  name,
  kind: stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'directory'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other',
  size: stats.size,
  modifiedAt: stats.mtimeMs,
})

const downloadOf = (path: string, file: FileHandle): OpenFile => ({
  facts: async () => factsOf(basename(path), await file.stat()),
  async read(offset, bytes) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
    return buffer.subarray(0, bytesRead)
  },
  write: () => Promise.reject(readOnly(path)),
  resize: () => Promise.reject(readOnly(path)),
  close: () => file.close(),
  abandon: () => file.close().catch(() => undefined),
})

const readOnly = (path: string): WorkspaceError => new WorkspaceError(`${quoted(path)} was opened to be read`)

interface Draft {
  readonly parent: HeldDirectory
  /** The name of the draft, which lies beside the file that it becomes. */
  readonly draft: string
  readonly file: FileHandle
  readonly mode: number
  /** False if the writer must still say that nothing of the old file is to stay. */
  readonly isWhole: boolean
}

/** A file that is written beside the one that it replaces, so that a reader sees the old one or the new one. */
class Upload implements OpenFile {
  readonly #path: string
  readonly #draft: Draft
  readonly #grow: (bytes: number) => Promise<void>
  #size = 0
  #isWhole: boolean
  #hasFailed = false

  constructor(path: string, draft: Draft, grow: (bytes: number) => Promise<void>) {
    this.#path = path
    this.#draft = draft
    this.#isWhole = draft.isWhole
    this.#grow = grow
  }

  async facts(): Promise<FileFacts> {
    return factsOf(basename(this.#path), await this.#draft.file.stat())
  }

  read(): Promise<Buffer> {
    return Promise.reject(new WorkspaceError(`${quoted(this.#path)} was opened to be written`))
  }

  async write(offset: number, data: Buffer): Promise<void> {
    const end = offset + data.length
    try {
      if (this.#size === 0 && offset > 0) throw this.#partly()
      // A hole takes no space until it is filled, so that what is written counts, too.
      await this.#grow(Math.max(data.length, end - this.#size))
      this.#size = Math.max(this.#size, end)
      const { bytesWritten } = await this.#draft.file.write(data, 0, data.length, offset)
      if (bytesWritten < data.length) throw new WorkspaceError('the disk is full')
    } catch (error) {
      this.#hasFailed = true
      throw error instanceof WorkspaceError ? error : unreachable(this.#path, error)
    }
  }

  async resize(bytes: number): Promise<void> {
    if (bytes > this.#size) throw this.#partly()
    await this.#draft.file.truncate(bytes)
    this.#size = bytes
    this.#isWhole = true
  }

  async close(): Promise<void> {
    const { parent, draft, file, mode } = this.#draft
    try {
      if (this.#hasFailed) throw new WorkspaceError(`${quoted(this.#path)} was not put`)
      if (!this.#isWhole) throw this.#partly()
      await file.chmod(mode)
      await file.sync()
      await rename(join(parent.path, draft), join(parent.path, basename(this.#path)))
    } catch (error) {
      throw error instanceof WorkspaceError ? error : unreachable(this.#path, error)
    } finally {
      await this.abandon()
    }
  }

  #partly(): WorkspaceError {
    return new WorkspaceError(`${quoted(this.#path)} is put as a whole; nothing is appended or resumed`)
  }

  async abandon(): Promise<void> {
    const { parent, draft, file } = this.#draft
    await file.close().catch(() => undefined)
    await rm(join(parent.path, draft), { force: true }).catch(() => undefined)
    await parent[Symbol.asyncDispose]()
  }
}
