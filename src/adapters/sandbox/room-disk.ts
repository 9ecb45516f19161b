import type { Dirent } from 'node:fs'
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { bytes } from '../../lib/amounts.ts'
import { WorkspaceError } from '../../tools/workspace.ts'

/** What the files of a directory may be. */
export interface DiskLimits {
  /** What they may take on disk; 0: no limit, also not in number. */
  readonly diskBytes: number
  /** How many files and directories there may be, empty ones too: each takes an inode, which the file system has a number of. */
  readonly files: number
}

/** So much, of both. */
interface Space {
  readonly bytes: number
  readonly files: number
}

/** Why a command must end, in words that go on a sentence; undefined while it may go on. */
export type Look = () => Promise<string | undefined>

/** What one command may fill. */
export interface CommandDisk {
  /** What a file may have at most: the kernel holds each to it. 0 in a full room, where none can grow. */
  readonly fileBytes: number
  /** For while it runs. It counts files only when their file system has lost as much as may still be made. */
  readonly look: Look
  /** For when it has ended by itself. */
  readonly lookAtEnd: Look
  /** Whatever its end was. */
  ended(): Promise<void>
}

/** For a command that writes nothing, or where nothing is limited. */
export const UNLIMITED: CommandDisk = {
  fileBytes: Infinity,
  look: async () => undefined,
  lookAtEnd: async () => undefined,
  ended: async () => {},
}

/** A command in a full room is there to delete; while it does, it may make this many files. */
const MADE_WHILE_DELETING = 100

/** For so long no command runs in a full room once one has made more: nothing in the kernel holds the number of files. */
const PAUSE_MS = 10 * 60_000

/** Nothing can grow or be made until something is deleted. */
const isFull = (left: Space): boolean => left.bytes <= 0 || left.files <= 0

/** Holds the files of one room to its limits, over all of its commands and changes. */
export class RoomDisk {
  readonly #limits: DiskLimits
  /** The files that could still be made when the room was found full; undefined while it is not. */
  #atFirst: number | undefined
  #pausedUntil = 0

  constructor(limits: DiskLimits) {
    this.#limits = limits
  }

  /** Resolves with the bytes that may still be written. Throws `WorkspaceError` if there are none. */
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
  async begin(directory: string): Promise<CommandDisk> {
    const limits = this.#limits
    const left = await spaceLeft(directory, limits)
    this.#refuseIfPaused(left)
    if (left.bytes === Infinity) return UNLIMITED
    const before = await freeSpace(directory)
    return {
      fileBytes: left.bytes,
      look: lookWhileRunning(directory, limits, left, before),
      lookAtEnd: lookAfter(directory, limits, left, before),
      ended: async () => {
        if (isFull(left)) this.#pauseIfGrown(left, await spaceLeft(directory, limits))
      },
    }
  }

  #refuseIfPaused(left: Space): void {
    this.#atFirst = isFull(left) ? (this.#atFirst ?? left.files) : undefined
    if (this.#atFirst === undefined) this.#pausedUntil = 0
    const wait = this.#pausedUntil - performance.now()
    if (wait > 0) {
      const minutes = Math.ceil(wait / 60_000)
      throw new WorkspaceError(
        `the room has more than ${this.#limits.files} files, and a command went on making some; in ${minutes}m the next one may run, to delete them`,
      )
    }
  }

  #pauseIfGrown(left: Space, now: Space): void {
    if (this.#atFirst === undefined || now.files >= left.files) return
    if (now.files < Math.min(0, this.#atFirst - MADE_WHILE_DELETING))
      this.#pausedUntil = performance.now() + PAUSE_MS
  }
}

/** In a full room no file can grow, so only the number of files is looked at. */
function lookWhileRunning(
  directory: string,
  limits: DiskLimits,
  left: Space,
  before: Space | undefined,
): Look {
  const { diskBytes, files } = limits
  const maxFiles = Math.max(files, files - left.files + MADE_WHILE_DELETING)
  const countLeft = async (): Promise<number> => maxFiles - (await countFiles(directory, maxFiles))
  const spenders = [
    ...(isFull(left) ? [] : [createSpender('bytes', left.bytes, () => bytesLeft(directory, limits))]),
    createSpender('files', maxFiles - files + left.files, countLeft),
  ]
  return async () => {
    const free = await freeSpace(directory)
    for (const isSpent of before && free ? spenders : [])
      if (before && free && (await isSpent(before, free)))
        return `the room's files came over ${bytes(diskBytes)} or ${files} in number; delete what is not needed`
    return undefined
  }
}

/** Gives the function that says whether what was left of one thing is used up. `count` may be slow, and may reject. */
function createSpender(what: keyof Space, first: number, count: () => Promise<number>) {
  let left = first
  let counted: number | undefined
  return async (before: Space, free: Space): Promise<boolean> => {
    if ((counted ?? before[what]) - free[what] <= left) return false
    counted = free[what]
    left = await count().catch(() => 0)
    return left <= 0
  }
}

/** Less than this is nothing: a file that met its limit leaves a part of a block. */
const NOTHING_BYTES = 64 * 1024

/** Others use the file system as well: whether it lost less than this says nothing. */
const MIN_TOLD_BYTES = 64 * 1024 * 1024

const lookAfter =
  (directory: string, limits: DiskLimits, left: Space, before: Space | undefined): Look =>
  async () => {
    const now = await freeSpace(directory)
    if (before && now && left.bytes > MIN_TOLD_BYTES && !canBeFull(before, now, left)) return undefined
    const space = await spaceLeft(directory, limits)
    if (space.files <= 0)
      return `the room has ${limits.files} files, or more: none can be made or grow until some are deleted`
    return space.bytes < NOTHING_BYTES
      ? `the room's ${bytes(limits.diskBytes)} are used up: what was written last may be cut off`
      : undefined
  }

/** Whether a room can be full that had so much left, going by its file system. Some count no files. */
const canBeFull = (before: Space, now: Space, left: Space): boolean =>
  before.bytes - now.bytes >= left.bytes / 2 || before.files - now.files >= left.files / 2 || now.files === 0

/** What may still be made in a directory: nothing more where either is 0 or less. A directory that cannot be read is full. */
async function spaceLeft(directory: string, limits: DiskLimits): Promise<Space> {
  if (limits.diskBytes === 0) return { bytes: Infinity, files: Infinity }
  try {
    const files = limits.files - (await countFiles(directory))
    return { bytes: files > 0 ? await bytesLeft(directory, limits) : 0, files }
  } catch {
    return { bytes: 0, files: 0 }
  }
}

/** Files and directories below a directory, empty ones too, counted up to `most`. Their names alone are read: that is ten times as fast. */
async function countFiles(directory: string, most = Infinity): Promise<number> {
  let count = 0
  for await (const _ of entriesBelow(directory)) if (++count >= most) break
  return count
}

/** What may still be written. */
async function bytesLeft(directory: string, { diskBytes }: DiskLimits): Promise<number> {
  let left = diskBytes
  for await (const entry of entriesBelow(directory)) {
    left -= await diskUse(join(entry.parentPath, entry.name))
    if (left <= 0) return 0
  }
  return left
}

/** Names that are read at once: with node's own number of 32, many files take four times as long. */
const NAMES_AT_ONCE = 2048

/** What is deleted meanwhile is passed over. Rejects where a directory cannot be read. */
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

/** What is free on a directory's file system; undefined where the directory is gone. Some file systems do not count files. */
async function freeSpace(directory: string): Promise<Space | undefined> {
  const found = await statfs(directory).catch(() => undefined)
  return found && { bytes: found.bavail * found.bsize, files: found.ffree }
}
