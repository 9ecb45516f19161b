import { mkdir, realpath, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { bytes, DAY_MS } from '../base/amounts.ts'
import type { Log } from '../base/environment.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type {
  FileAuthor,
  FileQuery,
  FoundFiles,
  ProcessOutcome,
  ProcessSpec,
  RoomFileAccess,
  ToolLimits,
  Workspace,
} from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import type { Confinement } from './bubblewrap.ts'
import { underLock } from './change-lock.ts'
import { findChangedFiles, readFileStamps } from './changed-files.ts'
import { changeText, checkChange, type ChangePlace } from './change-text.ts'
import { followPath, quoted } from './follow-path.ts'
import { RoomKeptFiles } from './kept-files.ts'
import { launchConfined, launchUnconfined, wordsOf, type Launch } from './launch.ts'
import type { SandboxState } from './probe.ts'
import { removeOldDrafts } from './old-files.ts'
import { readPicture, readText } from './read-text.ts'
import { type DiskLimits, RoomDisk, UNLIMITED } from './room-disk.ts'
import { RoomFiles, UploadSpace } from './room-files.ts'
import type { Searcher } from './searcher.ts'
import { supervise } from './supervise.ts'
import { UsageWatch } from './usage.ts'
import { FileVersions } from './versions.ts'

export interface WorkspaceLimits extends DiskLimits {
  /** Bytes of the largest file that is read as text. */
  readonly fileBytes: number
  /** Bytes of memory for each process of a command, and for all of them together. */
  readonly memoryBytes: number
  /** Processes that one sandbox may have at a time. */
  readonly processes: number
}

/** Files beside a workspace, where no tool can reach them; created on first use. */
export interface BesideFiles {
  /** Directory of the old versions of changed files. */
  readonly backups: string
  /** Lock file against simultaneous changes by other servers; absent if no server shares the directory. */
  readonly lock?: string
}

export interface WorkspaceParts {
  /** Created with its parents on first use, for its owner only. */
  readonly directory: string
  readonly beside: BesideFiles
  readonly limits: WorkspaceLimits
  /** With `none`, commands run unconfined, as the server's own user. */
  readonly sandbox: 'none' | (() => Promise<SandboxState>)
  readonly searcher: Searcher
  readonly inherited: readonly number[]
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  readonly log: Log
}

const FULL_NOTICE = 'the workspace is full: no file can grow until something is deleted'

/** A room's workspace for tools, and its files for people who upload and download them. */
export interface RoomWorkspace extends Workspace, RoomFileAccess {
  changeText(
    path: string,
    change: (old: string | undefined) => string,
    author?: FileAuthor,
  ): Promise<{ readonly created: boolean }>
}

/** For programs that open a workspace without a room. */
const NOBODY: FileAuthor = { name: 'a program' }

export function createWorkspace(parts: WorkspaceParts): RoomWorkspace {
  const { beside, sandbox, limits, searcher, closing, log } = parts
  const oneByOne = createSerial()
  /** Runs one search of a room at a time, so that no room occupies the whole searcher. */
  const oneSearchByOne = createSerial()
  const roomDisk = new RoomDisk(limits)
  const uploadSpace = new UploadSpace(roomDisk)
  const versions = new FileVersions(beside.backups)

  /**
   * Drafts from before this time are removed. This process wrote none of them. A shared directory adds a day,
   * because another server may still be writing a draft there.
   */
  const draftsBefore = performance.timeOrigin - (beside.lock === undefined ? 0 : DAY_MS)
  let swept: Promise<void> | undefined

  async function sweep(): Promise<void> {
    await removeOldDrafts(parts.directory, draftsBefore)
    await removeOldDrafts(beside.backups, draftsBefore)
  }

  async function root(): Promise<string> {
    await mkdir(parts.directory, { recursive: true, mode: 0o700 })
    await (swept ??= sweep().catch((error: unknown) =>
      log.warn({ error }, 'could not remove all drafts of a workspace'),
    ))
    return realpath(parts.directory)
  }

  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    oneByOne(() => (beside.lock === undefined ? work() : underLock(beside.lock, { signal: closing }, work)))

  async function changePlace(author: FileAuthor): Promise<ChangePlace> {
    const top = await root()
    const left = await roomDisk.assertSpace(top)
    return { root: top, versions, author, left, maxBytes: limits.fileBytes }
  }

  const find = (query: FileQuery, signal: AbortSignal): Promise<FoundFiles> =>
    oneSearchByOne(async () => searcher.findFiles(await root(), query, AbortSignal.any([signal, closing])))

  const tree = new RoomFiles(root, uploadSpace, { author: NOBODY, versions, alone })
  return {
    filesBy: (author) => new RoomFiles(root, uploadSpace, { author, versions, alone }),
    kept: new RoomKeptFiles({ root, versions, alone, disk: roomDisk, tree }),
    unsandboxed: sandbox === 'none',
    readText: async (path, lines = {}) => readText(await root(), path, lines, limits.fileBytes),
    readPicture: async (path, maxBytes) => readPicture(await root(), path, maxBytes),
    checkDirectory: async (path) => void (await directoryIn(await root(), path)),
    checkChange: async (path) => checkChange(await changePlace(NOBODY), path),
    changeText: (path, change, author = NOBODY) =>
      alone(async () => changeText(await changePlace(author), path, change)),
    findFiles: find,
    searchText: (query, signal) =>
      oneSearchByOne(async () =>
        searcher.searchText(await root(), query, AbortSignal.any([signal, closing])),
      ),
    async placeOf(path) {
      const top = await root()
      try {
        return relative(top, (await followPath(top, path)).real)
      } catch (error) {
        if (error instanceof WorkspaceError) return undefined
        throw error
      }
    },
    async run(spec, runLimits, signal, onFiles) {
      const top = await root()
      const trim = (): Promise<void> => alone(() => versions.trim(() => roomDisk.left(top)))
      const work = () => runCommand({ spec, runLimits, signal, workspace: top }, parts, roomDisk, trim)
      if (spec.readOnly || !onFiles) return await work()
      const since = Date.now()
      const before = await readFileStamps(top)
      return await runAfter(work(), async () => {
        const files = before && (await findChangedFiles(top, before, () => versions.pathsSince(since)))
        if (files?.length) await onFiles(files)
      })
    },
  }
}

interface CommandRun {
  readonly spec: ProcessSpec
  readonly runLimits: ToolLimits
  readonly signal: AbortSignal
  readonly workspace: string
}

/** `trimVersions` is called after a command that may have written files. */
async function runCommand(
  { spec, runLimits, signal, workspace }: CommandRun,
  { sandbox, limits, log, inherited, closing }: WorkspaceParts,
  roomDisk: RoomDisk,
  trimVersions: () => Promise<void>,
): Promise<ProcessOutcome> {
  const words = wordsOf(spec)
  const { readOnly = false, network = false } = spec
  const cwd = await directoryIn(workspace, spec.cwd ?? '.')
  const disk = readOnly ? UNLIMITED : await roomDisk.begin(workspace)
  const box = { workspace, cwd, readOnly, network, limits: { ...limits, fileBytes: disk.fileBytes } }
  const launch = sandbox === 'none' ? launchUnconfined(words, box) : await launchIn(box, words, sandbox)
  log.debug({ words, cwd, confined: sandbox !== 'none' }, 'running a command')
  const usage = new UsageWatch(limits, disk.check)
  const outcome = await runAfter(
    supervise({ ...launch, inherited }, runLimits, AbortSignal.any([signal, closing]), usage),
    async () => {
      await disk.ended()
      if (!readOnly) await trimVersions()
    },
  )
  const notice =
    outcome.notice ?? noticeFor(outcome, disk.fileBytes, usage.peakBytes, limits) ?? (await disk.checkAtEnd())
  return notice === undefined ? outcome : { ...outcome, notice }
}

async function runAfter<T>(work: Promise<T>, then: () => Promise<void>): Promise<T> {
  try {
    return await work
  } finally {
    await then()
  }
}

async function launchIn(
  box: Confinement,
  words: readonly string[],
  sandbox: () => Promise<SandboxState>,
): Promise<Launch> {
  const state = await sandbox()
  if (!state.works) throw new WorkspaceError(`commands cannot run: ${state.reason}`)
  return launchConfined(words, box, state.strength)
}

/** A shell's exit code for a command that wrote past RLIMIT_FSIZE: 128 and the number of SIGXFSZ. */
const FILE_TOO_LARGE = 128 + 25

/** Explains how a limit may have caused the end of a command that was not killed. */
function noticeFor(
  { exitCode }: ProcessOutcome,
  diskLeft: number,
  peakBytes: number,
  { memoryBytes, diskBytes }: WorkspaceLimits,
): string | undefined {
  if (diskLeft === 0) return FULL_NOTICE
  if (exitCode === FILE_TOO_LARGE)
    return `a file grew past ${bytes(diskLeft)}, which is what was left of the room's ${bytes(diskBytes)}`
  return exitCode !== 0 && peakBytes > memoryBytes / 2
    ? `it had taken ${bytes(peakBytes)} of the ${bytes(memoryBytes)} of memory that there are for a command`
    : undefined
}

async function directoryIn(workspace: string, path: string): Promise<string> {
  const { real } = await followPath(workspace, path)
  const stats = await stat(real).catch(() => undefined)
  if (!stats?.isDirectory()) throw new WorkspaceError(`working_dir ${quoted(path)} is not a directory`)
  return real
}
