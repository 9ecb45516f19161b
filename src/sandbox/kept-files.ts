import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, lstat, readFile, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type FileFacts, type FileTree, NoSuchFile } from '../base/file-tree.ts'
import type { FileAuthor, KeptFiles, ListedFile, UndoPlan, UndoStep } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import type { PersonId } from '../words/person.ts'
import { openDirectory } from './change-text.ts'
import { LEFT_OUT } from './changed-files.ts'
import { followPath, holdDirectory, quoted, pathError } from './follow-path.ts'
import { draftName } from './old-files.ts'
import { openInside } from './read-text.ts'
import type { RoomDisk } from './room-disk.ts'
import type { ChangeRecord, FileVersions } from './versions.ts'

interface KeptFilesParts {
  readonly root: () => Promise<string>
  readonly disk: RoomDisk
  readonly versions: FileVersions
  /** Runs one change of the room's files at a time. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
  readonly tree: FileTree
}

const MAX_LISTED = 2_000
/** Paths that completion offers. */
const MAX_PATHS = 300
const MAX_DEPTH = 64

/** A room's files and their earlier versions, for people. */
export class RoomKeptFiles implements KeptFiles {
  readonly #parts: KeptFilesParts

  constructor(parts: KeptFilesParts) {
    this.#parts = parts
  }

  async list(signal: AbortSignal): Promise<{ files: readonly ListedFile[]; cut: string }> {
    const lastBy = new Map((await this.#parts.versions.records()).map((one) => [one.path, one.by]))
    const files: ListedFile[] = []
    for await (const { path, size, modifiedAt } of this.#filesBelow('', 0)) {
      signal.throwIfAborted()
      if (files.length === MAX_LISTED) return { files, cut: `only ${MAX_LISTED} files are listed` }
      const by = lastBy.get(path)
      files.push({ path, size, modifiedAt, ...(by !== undefined && { by }) })
    }
    return { files, cut: '' }
  }

  /** Follows no links. Skips a directory that is removed meanwhile. */
  async *#filesBelow(directory: string, depth: number): AsyncGenerator<FileFacts & { path: string }, void> {
    const entries: FileFacts[] = []
    try {
      for await (const entry of this.#parts.tree.list(directory)) entries.push(entry)
    } catch (error) {
      if (!(error instanceof NoSuchFile || error instanceof WorkspaceError)) throw error
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name)
      if (entry.kind === 'file') yield { ...entry, path }
      else if (entry.kind === 'directory' && depth < MAX_DEPTH && !LEFT_OUT.includes(entry.name))
        yield* this.#filesBelow(path, depth + 1)
    }
  }

  async paths(): Promise<readonly string[]> {
    const paths = new Set((await this.#parts.versions.kept()).map(({ path }) => path))
    for await (const { path } of this.#filesBelow('', 0)) if (paths.add(path).size > MAX_PATHS) break
    return [...paths]
  }

  async versions(path: string) {
    const inside = relative(await this.#parts.root(), await this.#real(path))
    return (await this.#parts.versions.kept()).flatMap((record) => {
      const { version, at, by, event, size = 0 } = record
      const isOf = record.path === inside && version !== undefined && event !== 'made'
      return isOf ? { version, at, by, event, size } : []
    })
  }

  async readVersion(path: string, version: number): Promise<Buffer> {
    const inside = relative(await this.#parts.root(), await this.#real(path))
    return await readFile(await this.#parts.versions.pathOf(inside, version))
  }

  async putBack(path: string, version: number, by: FileAuthor): Promise<void> {
    const real = await this.#real(path)
    await this.#parts.alone(() => this.#restore(real, version, by))
  }

  async undoPlan(requester: PersonId | undefined): Promise<UndoPlan | undefined> {
    const records = await this.#parts.versions.records()
    const last = records.findLast(
      ({ turn, requester: of }) => turn !== undefined && (requester === undefined || of === requester),
    )
    if (last?.turn === undefined) return undefined
    const written = records.filter(({ turn }) => turn === last.turn)
    const paths = [...new Set(written.map(({ path }) => path))]
    const steps: UndoStep[] = []
    for (const path of paths) steps.push(await this.#stepOf(path, records, written))
    return { turn: last.turn, author: last.by, at: last.at, steps }
  }

  async undo({ turn }: UndoPlan, by: FileAuthor): Promise<readonly UndoStep[]> {
    return await this.#parts.alone(async () => {
      const root = await this.#parts.root()
      const records = await this.#parts.versions.records()
      const written = records.filter((one) => one.turn === turn)
      const done: UndoStep[] = []
      for (const path of new Set(written.map((one) => one.path))) {
        const step = await this.#stepOf(path, records, written)
        const real = join(root, path)
        if (step.does === 'puts back' && step.version !== undefined)
          await this.#restore(real, step.version, by)
        else if (step.does === 'removes') await this.#remove(real, by)
        done.push(step)
      }
      return done
    })
  }

  forget(person: PersonId): Promise<number> {
    return this.#parts.alone(() => this.#parts.versions.forget(person))
  }

  /** Compares the file that the turn left with the file that is there now. */
  async #stepOf(
    path: string,
    records: readonly ChangeRecord[],
    written: readonly ChangeRecord[],
  ): Promise<UndoStep> {
    const first = written.find((record) => record.path === path)
    const last = written.findLast((record) => record.path === path)
    const later = records.findLast((record) => record.path === path)
    if (!first || last?.hash === undefined)
      return { path, does: 'stays', why: 'its former content is unknown' }
    if (later !== last && later !== undefined)
      return { path, does: 'stays', why: `${later.by} changed it since` }
    if ((await this.#hashOf(path)) !== last.hash) return { path, does: 'stays', why: 'it was changed since' }
    if (first.version === undefined) return { path, does: 'removes' }
    const isKept = (await this.#parts.versions.kept()).some(
      (record) => record.path === path && record.version === first.version,
    )
    return isKept
      ? { path, does: 'puts back', version: first.version }
      : { path, does: 'stays', why: 'its former version is no longer stored' }
  }

  /** Resolves to undefined if the file is gone or is no regular file. */
  async #hashOf(path: string): Promise<string | undefined> {
    const root = await this.#parts.root()
    try {
      await using file = await openInside(root, join(root, path), path)
      const hash = createHash('sha256')
      for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece as Buffer)
      return hash.digest('hex')
    } catch (error) {
      if (error instanceof WorkspaceError) return undefined
      throw error
    }
  }

  /** Writes beside the file and renames: readers see the old file or the new one, also after a crash. */
  async #restore(real: string, version: number, author: FileAuthor): Promise<void> {
    const { disk, versions } = this.#parts
    const root = await this.#parts.root()
    const path = relative(root, real)
    const source = await versions.pathOf(path, version)
    const left = await disk.assertSpace(root)
    const { size } = await lstat(source)
    if (size > left) throw disk.full()
    await using directory = await openDirectory(root, dirname(real), path)
    const target = join(directory.path, basename(real))
    const old = await lstat(target).catch(() => undefined)
    if (old && !old.isFile()) throw new WorkspaceError(`${quoted(path)} is not a regular file`)
    const draft = join(directory.path, draftName())
    try {
      await copyFile(source, draft, constants.COPYFILE_EXCL)
      await chmod(draft, (old?.mode ?? 0o644) & 0o777)
      await versions.beforeChange({ real, root, author, next: {}, left: left - size })
      await rename(draft, target)
    } catch (error) {
      await rm(draft, { force: true })
      throw error instanceof WorkspaceError ? error : pathError(path, error)
    }
  }

  async #remove(real: string, author: FileAuthor): Promise<void> {
    const root = await this.#parts.root()
    const left = await this.#parts.disk.left(root)
    await this.#parts.versions.beforeChange({ real, root, author, left })
    await using directory = await holdDirectory(root, dirname(real), relative(root, real))
    await unlink(join(directory.path, basename(real)))
  }

  async #real(path: string): Promise<string> {
    const root = await this.#parts.root()
    const { real } = await followPath(root, path)
    if (real === root) throw new WorkspaceError(`${quoted(path)} is a directory`)
    return real
  }
}
