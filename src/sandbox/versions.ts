import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { appendFile, lstat, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../base/errors.ts'
import type { FileAuthor } from '../tools/index.ts'
import type { TurnId } from '../words/entry.ts'
import { WorkspaceError } from '../words/errors.ts'
import type { PersonId } from '../words/person.ts'
import { draftName } from './old-files.ts'
import { openInside } from './read-text.ts'

/** How many versions a room keeps, of all its files together. */
const MAX_VERSIONS = 100

/** Bytes of all versions of a room without a limit of its own. */
const MAX_BYTES = 1024 ** 3

/** Records that stay when the list is shortened, and how many more there may be until then. */
const RECORDS = 1_000

/** One line of a room's list of changes. */
export interface ChangeRecord {
  readonly at: number
  readonly by: string
  readonly person?: PersonId
  readonly turn?: TurnId
  readonly requester?: PersonId
  /** Relative to the workspace. */
  readonly path: string
  readonly event: 'made' | 'changed' | 'removed'
  /** The number of the file's previous version; absent for a new file. */
  readonly version?: number
  /** The stored name of the previous version; absent if it was too large. */
  readonly kept?: string
  /** Bytes of the previous version. */
  readonly size?: number
  /** SHA-256 of the bytes that a tool wrote. */
  readonly hash?: string
}

export interface FileChange {
  /** A real path below `root`. */
  readonly real: string
  readonly root: string
  readonly author: FileAuthor
  /** Absent if the file is removed. */
  readonly next?: { readonly hash?: string }
  /** Bytes that the room may still take, without the versions. */
  readonly left: number
}

/**
 * The old versions of a room's files, in a directory that no tool can reach, with a list of the changes. A
 * change is recorded before it happens: after a crash the list may have one that did not happen, and never
 * lacks one. One change at a time.
 */
export class FileVersions {
  readonly #directory: string
  readonly #list: string

  constructor(directory: string) {
    this.#directory = directory
    this.#list = `${directory}.jsonl`
  }

  /** Stores a file as a version before it is replaced or removed. */
  async beforeChange({ real, root, author, next, left }: FileChange): Promise<void> {
    const path = relative(root, real)
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const old = await this.#keep(root, real, path)
    if (!old && !next) return
    const records = await this.records()
    const numbers = records.flatMap((one) => (one.path === path ? (one.version ?? 0) : []))
    const record: ChangeRecord = {
      at: Date.now(),
      by: author.name,
      ...(author.person !== undefined && { person: author.person }),
      ...(author.turn && { turn: author.turn.id, requester: author.turn.requester }),
      path,
      event: next ? (old ? 'changed' : 'made') : 'removed',
      ...(old && { version: Math.max(0, ...numbers) + 1, ...old }),
      ...(next?.hash !== undefined && { hash: next.hash }),
    }
    await this.#add(records, record)
    await this.trim(async () => left + (old?.size ?? 0))
  }

  /** Oldest first. Skips lines that a crash cut. */
  async records(): Promise<readonly ChangeRecord[]> {
    const text = await readFile(this.#list, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return ''
      throw error
    })
    return text.split('\n').flatMap((line) => {
      try {
        return line === '' ? [] : (JSON.parse(line) as ChangeRecord)
      } catch {
        return []
      }
    })
  }

  /** The files that people and file tools changed since a moment. */
  async pathsSince(moment: number): Promise<ReadonlySet<string>> {
    return new Set((await this.records()).flatMap(({ at, path }) => (at >= moment ? path : [])))
  }

  /** The records whose version is still kept, oldest first. */
  async kept(): Promise<readonly (ChangeRecord & { readonly kept: string })[]> {
    const names = new Set(await this.#names())
    return (await this.records()).flatMap((record) =>
      record.kept !== undefined && names.has(record.kept) ? { ...record, kept: record.kept } : [],
    )
  }

  /** The path on disk of a kept version. Throws `WorkspaceError`. */
  async pathOf(path: string, version: number): Promise<string> {
    const found = (await this.kept()).findLast((one) => one.path === path && one.version === version)
    if (!found) throw new WorkspaceError(`there is no version ${version} of it; --versions lists them`)
    return join(this.#directory, found.kept)
  }

  /** Removes the oldest versions until all take at most the bytes that `countLeft` resolves to. */
  async trim(countLeft: () => Promise<number>): Promise<void> {
    const all = (await this.#names()).toReversed()
    if (all.length === 0) return
    let space = Math.min(await countLeft(), MAX_BYTES)
    for (const [at, name] of all.entries()) {
      const file = join(this.#directory, name)
      space -= ((await lstat(file).catch(() => undefined))?.blocks ?? 0) * 512
      if (at >= MAX_VERSIONS || space < 0) await rm(file, { force: true })
    }
  }

  /** Removes versions that a person wrote or replaced, and their records. Resolves to the number of versions. */
  async forget(person: PersonId): Promise<number> {
    const records = await this.records()
    const writers = new Map<string, PersonId | undefined>()
    const gone = new Set<ChangeRecord>()
    for (const record of records) {
      if (record.person === person || writers.get(record.path) === person) gone.add(record)
      writers.set(record.path, record.person)
    }
    if (gone.size === 0) return 0
    const names = new Set(await this.#names())
    const kept = [...gone].flatMap((record) => (names.has(record.kept ?? '') ? (record.kept ?? []) : []))
    for (const name of kept) await rm(join(this.#directory, name), { force: true })
    await this.#write(records.filter((record) => !gone.has(record)))
    return kept.length
  }

  /** Names begin with the time, so that the oldest sort first. */
  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return []
      throw error
    })
    return names.filter((name) => !name.startsWith('.')).toSorted((a, b) => (a < b ? -1 : 1))
  }

  /** Resolves to undefined if there is no regular file. */
  async #keep(
    root: string,
    real: string,
    path: string,
  ): Promise<(Pick<ChangeRecord, 'kept'> & { readonly size: number }) | undefined> {
    const file = await openInside(root, real, path).catch((error: unknown) => {
      if (error instanceof WorkspaceError) return undefined
      throw error
    })
    if (!file) return undefined
    const draft = join(this.#directory, draftName())
    try {
      const { size } = await file.stat()
      if (size > MAX_BYTES) return { size }
      await pipeline(
        file.createReadStream({ autoClose: false, end: Math.max(0, size - 1) }),
        createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
      )
      const kept = `${new Date().toISOString()}-${randomUUID().slice(0, 8)}-${encodeURIComponent(path).slice(-150)}`
      await rename(draft, join(this.#directory, kept))
      return { kept, size }
    } finally {
      await file.close()
      await rm(draft, { force: true })
    }
  }

  async #add(records: readonly ChangeRecord[], record: ChangeRecord): Promise<void> {
    if (records.length < 2 * RECORDS) return await this.#append(record)
    const names = new Set(await this.#names())
    const isKept = ({ kept }: ChangeRecord): boolean => kept !== undefined && names.has(kept)
    const old = records.slice(0, -RECORDS).filter(isKept)
    await this.#write([...old, ...records.slice(-RECORDS), record])
  }

  async #append(record: ChangeRecord): Promise<void> {
    // Ends a line that a crash cut, so that the new record has a line of its own.
    const file = await open(this.#list, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const last = size === 0 ? '\n' : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString()
      await appendFile(file, `${last === '\n' ? '' : '\n'}${JSON.stringify(record)}\n`)
    } finally {
      await file.close()
    }
  }

  async #write(records: readonly ChangeRecord[]): Promise<void> {
    const draft = join(this.#directory, draftName())
    await writeFile(draft, records.map((one) => `${JSON.stringify(one)}\n`).join(''), { mode: 0o600 })
    await rename(draft, this.#list)
  }
}
