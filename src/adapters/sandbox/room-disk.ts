import { bytes, duration } from '../../lib/amounts.ts'
import { WorkspaceError } from '../../tools/workspace.ts'
import { bytesLeft, countFiles, freeSpace, spaceLeft, type DiskLimits, type Space } from './disk.ts'

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

/** Holds the files of one room to its limits, over all of its commands and changes. */
export interface RoomDisk {
  /** Throws `WorkspaceError` where nothing more may be written. */
  refuseIfFull(directory: string): Promise<void>
  /** Throws `WorkspaceError` where no command may begin now. */
  begin(directory: string): Promise<CommandDisk>
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

export function createRoomDisk(limits: DiskLimits): RoomDisk {
  /** What was left when the room was found full; undefined while it is not. */
  let atFirst: number | undefined
  let pausedUntil = 0

  function refuseIfPaused(left: Space): void {
    atFirst = isFull(left) ? (atFirst ?? left.files) : undefined
    if (atFirst === undefined) pausedUntil = 0
    const wait = pausedUntil - performance.now()
    if (wait > 0)
      throw new WorkspaceError(
        `the room has more than ${limits.files} files, and a command went on making some; in ${duration(wait)} the next one may run, to delete them`,
      )
  }

  function pauseIfGrown(left: Space, now: Space): void {
    if (atFirst === undefined || now.files >= left.files) return
    if (now.files < Math.min(0, atFirst - MADE_WHILE_DELETING)) pausedUntil = performance.now() + PAUSE_MS
  }

  return {
    async refuseIfFull(directory) {
      if (isFull(await spaceLeft(directory, limits))) throw full(limits)
    },
    async begin(directory) {
      const left = await spaceLeft(directory, limits)
      refuseIfPaused(left)
      if (left.bytes === Infinity) return UNLIMITED
      const before = await freeSpace(directory)
      return {
        fileBytes: left.bytes,
        look: lookWhileRunning(directory, limits, left, before),
        lookAtEnd: lookAfter(directory, limits, left, before),
        async ended() {
          if (isFull(left)) pauseIfGrown(left, await spaceLeft(directory, limits))
        },
      }
    },
  }
}

const full = ({ diskBytes, files }: DiskLimits): WorkspaceError =>
  new WorkspaceError(
    `the workspace is full (${bytes(diskBytes)} and ${files} files are allowed), or a directory in it cannot be read; delete what is not needed`,
  )

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
