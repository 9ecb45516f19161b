import type { Dirent } from 'node:fs'
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { bytes } from '../base/amounts.ts'
import { WorkspaceError } from '../words/errors.ts'

export interface DiskLimits {
  /** Bytes on disk; 0: no limit, and none for `files` either. */
  readonly diskBytes: number
  /** Files and directories, empty ones too: each takes one of the file system's limited inodes. */
  readonly files: number
}

interface Space {
  readonly bytes: number
  readonly files: number
}

/** Resolves to why a command must end, worded to continue a sentence; undefined if it may go on. */
export type DiskCheck = () => Promise<string | undefined>

export interface CommandDiskLimit {
  /** Bytes to which a file may grow, enforced by the kernel. 0 in a full room, where no file can grow. */
  readonly fileBytes: number
  /** Called during the command. Counts files only if the file system has lost as much space as was left. */
  readonly check: DiskCheck
  /** Called when the command has ended by itself. */
  readonly checkAtEnd: DiskCheck
  /** Called after every end of the command. */
  ended(): Promise<void>
}

/** For a command that writes nothing or has no disk limit. */
export const UNLIMITED: CommandDiskLimit = {
  fileBytes: Infinity,
  check: async () => undefined,
  checkAtEnd: async () => undefined,
  ended: async () => {},
}

/** Files that a command in a full room may create, since such a command runs to delete. */
const MADE_WHILE_DELETING = 100

/** Time (ms) without commands in a full room after one made more files: the kernel sets no such limit. */
const PAUSE_MS = 10 * 60_000

/** True if nothing can grow or be created until something is deleted. */
const isFull = (left: Space): boolean => left.bytes <= 0 || left.files <= 0

/** Limits the files of one room, over all of its commands and changes. */
export class RoomDisk {
  readonly #limits: DiskLimits
  /** The files that could still be created when the room was found full; undefined if it is not full. */
  #filesWhenFull: number | undefined
  #pausedUntil = 0

  constructor(limits: DiskLimits) {
    this.#limits = limits
  }

  /** Resolves to how many bytes may still be written; 0 if there are none. */
  async left(directory: string): Promise<number> {
    return Math.max(0, (await spaceLeft(directory, this.#limits)).bytes)
  }

  /** Resolves to how many bytes may still be written. Throws `WorkspaceError` if there are none. */
  async assertSpace(directory: string): Promise<number> {
    const left = await spaceLeft(directory, this.#limits)
    if (isFull(left)) throw this.full()
    return left.bytes
  }

  full(): WorkspaceError {
    const { diskBytes, files } = this.#limits
    return new WorkspaceError(
      `the workspace is full (${bytes(diskBytes)} and ${files} files are allowed), or a directory in it cannot be read; delete what is not needed`,
    )
  }

  /** Throws `WorkspaceError` if no command may begin now. */
  async begin(directory: string): Promise<CommandDiskLimit> {
    const limits = this.#limits
    const left = await spaceLeft(directory, limits)
    this.#refuseIfPaused(left)
    if (left.bytes === Infinity) return UNLIMITED
    const before = await freeSpace(directory)
    return {
      fileBytes: left.bytes,
      check: checkWhileRunning(directory, limits, left, before),
      checkAtEnd: checkAfter(directory, limits, left, before),
      ended: async () => {
        if (isFull(left)) this.#pauseIfGrown(left, await spaceLeft(directory, limits))
      },
    }
  }

  #refuseIfPaused(left: Space): void {
    this.#filesWhenFull = isFull(left) ? (this.#filesWhenFull ?? left.files) : undefined
    if (this.#filesWhenFull === undefined) this.#pausedUntil = 0
    const wait = this.#pausedUntil - performance.now()
    if (wait > 0) {
      const minutes = Math.ceil(wait / 60_000)
      throw new WorkspaceError(
        `the room has more than ${this.#limits.files} files, and a command went on making some; in ${minutes}m the next one may run, to delete them`,
      )
    }
  }

  #pauseIfGrown(left: Space, now: Space): void {
    if (this.#filesWhenFull === undefined || now.files >= left.files) return
    if (now.files < Math.min(0, this.#filesWhenFull - MADE_WHILE_DELETING))
      this.#pausedUntil = performance.now() + PAUSE_MS
  }
}

/** In a full room no file can grow, so only the number of files is checked. */
function checkWhileRunning(
  directory: string,
  limits: DiskLimits,
  left: Space,
  before: Space | undefined,
): DiskCheck {
  const { diskBytes, files } = limits
  const maxFiles = Math.max(files, files - left.files + MADE_WHILE_DELETING)
  const countLeft = async (): Promise<number> => maxFiles - (await countFiles(directory, maxFiles))
  const spentChecks = [
    ...(isFull(left) ? [] : [createSpentCheck('bytes', left.bytes, () => bytesLeft(directory, limits))]),
    createSpentCheck('files', maxFiles - files + left.files, countLeft),
  ]
  return async () => {
    const free = await freeSpace(directory)
    if (!before || !free) return undefined
    for (const isSpent of spentChecks)
      if (await isSpent(before, free))
        return `the room's files came over ${bytes(diskBytes)} or ${files} in number; delete what is not needed`
    return undefined
  }
}

/** The returned function resolves to true if no space is left. `count` may be slow or reject. */
function createSpentCheck(what: keyof Space, first: number, count: () => Promise<number>) {
  let left = first
  let counted: number | undefined
  return async (before: Space, free: Space): Promise<boolean> => {
    if ((counted ?? before[what]) - free[what] <= left) return false
    counted = free[what]
    left = await count().catch(() => 0)
    return left <= 0
  }
}

/** Fewer bytes count as none: a file that reached its limit leaves a part of a block. */
const NOTHING_BYTES = 64 * 1024

/** Fewer bytes are always counted: others use the file system as well, so its free space says little. */
const MIN_JUDGED_BYTES = 64 * 1024 * 1024

const checkAfter =
  (directory: string, limits: DiskLimits, left: Space, before: Space | undefined): DiskCheck =>
  async () => {
    const now = await freeSpace(directory)
    if (before && now && left.bytes > MIN_JUDGED_BYTES && !canBeFull(before, now, left)) return undefined
    const space = await spaceLeft(directory, limits)
    if (space.files <= 0)
      return `the room has ${limits.files} files, or more: none can be made or grow until some are deleted`
    return space.bytes < NOTHING_BYTES
      ? `the room's ${bytes(limits.diskBytes)} are used up: what was written last may be cut off`
      : undefined
  }

/** Judges by its file system whether a room with `left` can be full. Some file systems count no files. */
const canBeFull = (before: Space, now: Space, left: Space): boolean =>
  before.bytes - now.bytes >= left.bytes / 2 || before.files - now.files >= left.files / 2 || now.files === 0

/** Resolves to the space left: none if either number is 0 or less, or if the directory is unreadable. */
async function spaceLeft(directory: string, limits: DiskLimits): Promise<Space> {
  if (limits.diskBytes === 0) return { bytes: Infinity, files: Infinity }
  try {
    const files = limits.files - (await countFiles(directory))
    return { bytes: files > 0 ? await bytesLeft(directory, limits) : 0, files }
  } catch {
    return { bytes: 0, files: 0 }
  }
}

/** Counts all files and directories, up to `most`. Reads only their names, which is ten times as fast. */
async function countFiles(directory: string, most = Infinity): Promise<number> {
  let count = 0
  for await (const _ of entriesBelow(directory)) if (++count >= most) break
  return count
}

async function bytesLeft(directory: string, { diskBytes }: DiskLimits): Promise<number> {
  let left = diskBytes
  for await (const entry of entriesBelow(directory)) {
    left -= await diskUse(join(entry.parentPath, entry.name))
    if (left <= 0) return 0
  }
  return left
}

/** Names per read: with node's default of 32, many files take four times as long. */
const NAMES_AT_ONCE = 2048

/** Skips entries that are deleted meanwhile. Rejects if a directory cannot be read. */
async function* entriesBelow(top: string): AsyncIterable<Dirent> {
  const directories = [top]
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    for await (const entry of (await openIfThere(path)) ?? []) {
      if (entry.isDirectory()) directories.push(join(path, entry.name))
      yield entry
    }
  }
}

const openIfThere = (path: string) =>
  opendir(path, { bufferSize: NAMES_AT_ONCE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** stat(2) counts blocks of 512 bytes. A file that was deleted meanwhile takes none. */
const diskUse = async (path: string): Promise<number> =>
  ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512

/** Free space of a file system; undefined if the directory is gone. Some file systems count no files. */
async function freeSpace(directory: string): Promise<Space | undefined> {
  const found = await statfs(directory).catch(() => undefined)
  return found && { bytes: found.bavail * found.bsize, files: found.ffree }
}
