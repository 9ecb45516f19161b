import { lstat, mkdir, opendir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../chat/ports.ts'
import { bytes } from '../../lib/bytes.ts'
import { createSerial } from '../../lib/serial.ts'
import { WorkspaceError, type Workspace } from '../../tools/ports/workspace.ts'
import { changeText } from './change-text.ts'
import { followPath, quoted } from './follow-path.ts'
import { launchConfined, launchUnconfined, wordsOf, type SandboxState } from './launch.ts'
import { readText } from './read-text.ts'
import type { Searcher } from './searcher.ts'
import { supervise } from './supervise.ts'

/** Figures that hold for every workspace. */
export interface WorkspaceLimits {
  /** Size of the largest file that is read as text. */
  readonly fileBytes: number
  /** Size of the private /tmp of a command, in memory. */
  readonly scratchBytes: number
  /** Processes that one sandbox may hold. The kernel does not hold root to it. */
  readonly processes: number
  /** What the files of a room may take on disk; 0: no limit. It is looked at before each change and each command. */
  readonly diskBytes: number
}

/** What a workspace is made from. */
export interface WorkspaceParts {
  /** Made with its parents, for its owner only, when it is first used. */
  readonly directory: string
  /** Where old versions of changed files are kept. */
  readonly backups: string
  /** With `none`, commands run unconfined, as the server's own user. */
  readonly mode: 'bubblewrap' | 'none'
  readonly limits: WorkspaceLimits
  readonly sandbox: () => Promise<SandboxState>
  readonly searcher: Searcher
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  readonly log: Log
}

/** Stands after the output of a command that could write nothing. */
const FULL_NOTICE = '… [the workspace is full: no file can grow until something is deleted]\n'

/** See `Workspace`. */
export function createWorkspace(parts: WorkspaceParts): Workspace {
  const { mode, limits, searcher, closing, log } = parts
  const oneByOne = createSerial()
  /** A room's own searches wait for each other, so that no room has all of the searcher. */
  const oneSearchByOne = createSerial()

  async function root(): Promise<string> {
    await mkdir(parts.directory, { recursive: true, mode: 0o700 })
    return realpath(parts.directory)
  }

  return {
    unsandboxed: mode === 'none',
    async readText(path, lines = {}) {
      return readText(await root(), path, lines, limits.fileBytes)
    },
    changeText: (path, change) =>
      oneByOne(async () => {
        const place = { root: await root(), backups: parts.backups, maxBytes: limits.fileBytes }
        if ((await diskLeft(place.root, limits.diskBytes)) === 0) throw diskFull(limits.diskBytes)
        return changeText(place, path, change)
      }),
    findFiles: (query, signal) =>
      oneSearchByOne(async () => searcher.findFiles(await root(), query, AbortSignal.any([signal, closing]))),
    searchText: (query, signal) =>
      oneSearchByOne(async () =>
        searcher.searchText(await root(), query, AbortSignal.any([signal, closing])),
      ),
    async contains(path) {
      try {
        await followPath(await root(), path)
        return true
      } catch (error) {
        if (error instanceof WorkspaceError) return false
        throw error
      }
    },
    async run(spec, runLimits, signal) {
      const words = wordsOf(spec)
      const workspace = await root()
      const { readOnly = false, network = false } = spec
      const cwd = await directoryIn(workspace, spec.cwd ?? '.')
      const left = readOnly ? Infinity : await diskLeft(workspace, limits.diskBytes)
      const box = {
        workspace,
        cwd,
        readOnly,
        network,
        scratchBytes: limits.scratchBytes,
        processes: limits.processes,
        fileBytes: left,
      }
      if (mode === 'bubblewrap') await needSandbox(parts)
      const launch = mode === 'none' ? launchUnconfined(words, box) : await launchConfined(words, box)
      log.debug({ words, cwd, mode }, 'running a command')
      const outcome = await supervise(launch, runLimits, AbortSignal.any([signal, closing]))
      return left > 0 ? outcome : { ...outcome, output: `${outcome.output}${FULL_NOTICE}` }
    },
  }
}

async function needSandbox({ sandbox }: WorkspaceParts): Promise<void> {
  const state = await sandbox()
  if (!state.works) throw new WorkspaceError(`commands cannot run: ${state.reason}`)
}

async function directoryIn(workspace: string, path: string): Promise<string> {
  const { real } = await followPath(workspace, path)
  const stats = await stat(real).catch(() => undefined)
  if (!stats?.isDirectory()) throw new WorkspaceError(`working_dir ${quoted(path)} is not a directory`)
  return real
}

/** More files and directories than this are not counted: a directory with so many is taken for full. */
const MAX_FILES = 200_000

/**
 * Bytes that may still be written in a directory whose limit is `allowed` bytes. 0 for a directory that is full or cannot
 * be read. `allowed` 0 is no limit.
 */
async function diskLeft(directory: string, allowed: number): Promise<number> {
  if (allowed === 0) return Infinity
  let left = allowed
  let files = 0
  try {
    for await (const entry of await opendir(directory, { recursive: true })) {
      left -= await diskUse(join(entry.parentPath, entry.name))
      if (left <= 0 || ++files > MAX_FILES) return 0
    }
  } catch {
    return 0
  }
  return left
}

/** stat(2) counts blocks of 512 bytes. A file that was deleted meanwhile takes none. */
const diskUse = async (path: string): Promise<number> =>
  ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512

/** Nothing more can be written until something is deleted. */
const diskFull = (allowed: number): WorkspaceError =>
  new WorkspaceError(
    `the workspace is full (${bytes(allowed)} and ${MAX_FILES} files are allowed), or a directory in it cannot be read; delete what is not needed`,
  )
