import { mkdir, realpath, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { bytes, DAY_MS } from '../base/amounts.ts'
import type { Log } from '../base/environment.ts'
import type { FileTree } from '../base/file-tree.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { ProcessOutcome, Workspace } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import type { Confinement } from './bubblewrap.ts'
import { underLock } from './change-lock.ts'
import { changeText, checkChange, type ChangePlace } from './change-text.ts'
import { followPath, quoted } from './follow-path.ts'
import { launchConfined, launchUnconfined, wordsOf, type Launch } from './launch.ts'
import type { SandboxState } from './probe.ts'
import { removeOldDrafts } from './old-files.ts'
import { readPicture, readText } from './read-text.ts'
import { type DiskLimits, RoomDisk, UNLIMITED } from './room-disk.ts'
import { RoomFiles } from './room-files.ts'
import type { Searcher } from './searcher.ts'
import { supervise } from './supervise.ts'
import { UsageWatch } from './usage.ts'

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
  /**
   * Lock file against changes by other servers at the same time; absent if no server shares the directory.
   */
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
  /** Descriptors that no command may get. */
  readonly inherited: readonly number[]
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  readonly log: Log
}

/** Notice for a command that could write nothing. */
const FULL_NOTICE = 'the workspace is full: no file can grow until something is deleted'

/** A room's workspace for tools, and its files for people who upload and download them. */
export interface RoomWorkspace extends Workspace {
  readonly files: FileTree
}

export function createWorkspace(parts: WorkspaceParts): RoomWorkspace {
  const { beside, sandbox, limits, searcher, closing, log } = parts
  const oneByOne = createSerial()
  /** Runs one search of a room at a time, so that no room occupies the whole searcher. */
  const oneSearchByOne = createSerial()
  const roomDisk = new RoomDisk(limits)

  /** Drafts of this process are younger. Another server may be writing one, if it shares the directory. */
  const draftsBefore = performance.timeOrigin - (beside.lock === undefined ? 0 : DAY_MS)
  let swept: Promise<void> | undefined

  async function root(): Promise<string> {
    await mkdir(parts.directory, { recursive: true, mode: 0o700 })
    await (swept ??= removeOldDrafts(parts.directory, draftsBefore).catch((error: unknown) =>
      log.warn({ error }, 'could not remove all drafts of a workspace'),
    ))
    return realpath(parts.directory)
  }

  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    beside.lock === undefined ? work() : underLock(beside.lock, { signal: closing }, work)

  async function changePlace(): Promise<ChangePlace> {
    const place = { root: await root(), backups: beside.backups, maxBytes: limits.fileBytes }
    await roomDisk.assertSpace(place.root)
    return place
  }

  return {
    files: new RoomFiles(root, roomDisk),
    unsandboxed: sandbox === 'none',
    readText: async (path, lines = {}) => readText(await root(), path, lines, limits.fileBytes),
    readPicture: async (path, maxBytes) => readPicture(await root(), path, maxBytes),
    checkDirectory: async (path) => void (await directoryIn(await root(), path)),
    checkChange: async (path) => checkChange(await changePlace(), path),
    changeText: (path, change) =>
      oneByOne(() => alone(async () => changeText(await changePlace(), path, change))),
    findFiles: (query, signal) =>
      oneSearchByOne(async () => searcher.findFiles(await root(), query, AbortSignal.any([signal, closing]))),
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
    async run(spec, runLimits, signal) {
      const words = wordsOf(spec)
      const workspace = await root()
      const { readOnly = false, network = false } = spec
      const cwd = await directoryIn(workspace, spec.cwd ?? '.')
      const disk = readOnly ? UNLIMITED : await roomDisk.begin(workspace)
      const box = { workspace, cwd, readOnly, network, limits: { ...limits, fileBytes: disk.fileBytes } }
      const launch = sandbox === 'none' ? launchUnconfined(words, box) : await launchIn(box, words, sandbox)
      log.debug({ words, cwd, confined: sandbox !== 'none' }, 'running a command')
      const usage = new UsageWatch(limits, disk.check)
      const outcome = await runAfter(
        supervise(
          { ...launch, inherited: parts.inherited },
          runLimits,
          AbortSignal.any([signal, closing]),
          usage,
        ),
        disk.ended,
      )
      const notice =
        outcome.notice ??
        noticeFor(outcome, disk.fileBytes, usage.peakBytes, limits) ??
        (await disk.checkAtEnd())
      return notice === undefined ? outcome : { ...outcome, notice }
    },
  }
}

/** Runs `then` after a promise is settled, whether it resolved or rejected. */
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
