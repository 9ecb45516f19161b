import { mkdir, realpath, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Log } from '../../chat/ports.ts'
import { createSerial } from '../../lib/serial.ts'
import { WorkspaceError, type Command, type Workspace } from '../../tools/ports.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import { changeText } from './change-text.ts'
import { diskFull, diskLeft } from './disk-use.ts'
import { followPath, mountPoint, quoted } from './follow-path.ts'
import type { SandboxState } from './probe.ts'
import { readText } from './read-text.ts'
import type { Searcher } from './searcher.ts'
import { supervise, type Launch } from './supervise.ts'

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
  readonly mode: 'bubblewrap' | 'none'
  readonly limits: WorkspaceLimits
  readonly sandbox: () => Promise<SandboxState>
  readonly searcher: Searcher
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
  readonly log: Log
}

/** Stands after the output of a command that could write nothing. */
const FULL = '… [the workspace is full: no file can grow until something is deleted]\n'

/** One argument may have this many bytes with its NUL, whatever the machine (`MAX_ARG_STRLEN` of Linux). */
const maxArgumentBytes = 128 * 1024

/** See `Workspace`. With mode `none` commands run unconfined, as the server's own user. */
export function createWorkspace(parts: WorkspaceParts): Workspace {
  const oneByOne = createSerial()
  /** A room's own searches wait for each other, so that no room has all of the searcher. */
  const oneSearchByOne = createSerial()

  async function root(): Promise<string> {
    await mkdir(parts.directory, { recursive: true, mode: 0o700 })
    return realpath(parts.directory)
  }

  return {
    unsandboxed: parts.mode === 'none',
    async readText(path, lines = {}) {
      return readText(await root(), path, lines, parts.limits.fileBytes)
    },
    changeText: (path, change) =>
      oneByOne(async () => {
        const { fileBytes: maxBytes, diskBytes } = parts.limits
        const place = { root: await root(), backups: parts.backups, maxBytes }
        if ((await diskLeft(place.root, diskBytes)) === 0) throw diskFull(diskBytes)
        return changeText(place, path, change)
      }),
    findFiles: (query, signal) =>
      oneSearchByOne(async () =>
        parts.searcher.findFiles(await root(), query, AbortSignal.any([signal, parts.closing])),
      ),
    searchText: (query, signal) =>
      oneSearchByOne(async () =>
        parts.searcher.searchText(await root(), query, AbortSignal.any([signal, parts.closing])),
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
    async run(command, limits, signal) {
      const words = 'argv' in command ? command.argv : ['/bin/sh', '-c', command.shell]
      checkWords(words)
      const workspace = await root()
      const cwd = await directoryIn(workspace, command.cwd ?? '.')
      const left = command.readOnly ? Infinity : await diskLeft(workspace, parts.limits.diskBytes)
      const launch =
        parts.mode === 'none'
          ? unconfined(words, cwd, workspace, left)
          : await confined(words, cwd, command, left)
      parts.log.debug({ words, cwd, mode: parts.mode }, 'running a command')
      const outcome = await supervise(launch, limits, AbortSignal.any([signal, parts.closing]))
      return left > 0 ? outcome : { ...outcome, output: `${outcome.output}${FULL}` }
    },
  }

  async function confined(
    words: readonly string[],
    cwd: string,
    command: Command,
    left: number,
  ): Promise<Launch> {
    const sandbox = await parts.sandbox()
    if (!sandbox.works) throw new WorkspaceError(`commands cannot run: ${sandbox.reason}`)
    const workspace = await root()
    const box = {
      workspace,
      cwd: `${mountPoint}/${relative(workspace, cwd)}`,
      readOnly: command.readOnly ?? false,
      network: command.network ?? false,
      scratchBytes: parts.limits.scratchBytes,
    }
    const inside = ['/bin/sh', '-c', entry(parts.limits.processes, left), 'sh', ...words]
    return {
      file: 'bwrap',
      args: [...(await bubblewrapArguments(box)), ...inside],
      cwd: '/',
      env: environment('/tmp'),
      tellsPid: true,
    }
  }
}

const unconfined = (words: readonly string[], cwd: string, home: string, left: number): Launch => ({
  file: '/bin/sh',
  args: ['-c', entry(0, left), 'sh', ...words],
  cwd,
  env: environment(home),
  tellsPid: false,
})

/** All that a command sees of the environment. */
const environment = (home: string): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
  HOME: home,
  LANG: 'C.UTF-8',
})

/**
 * A script that becomes the command, which it is given as its arguments and so never reads. Error output joins
 * the output, in the order in which both are written. Shells disagree on the letter for processes. No file can
 * become larger than `left` bytes, which ulimit counts in blocks of 512 (POSIX).
 */
function entry(processes: number, left: number): string {
  const limit = `for flag in u p; do (ulimit -$flag ${processes}) 2>/dev/null && ulimit -$flag ${processes} && break; done`
  const size = left === Infinity ? [] : [`ulimit -f ${Math.ceil(left / 512)}`]
  return [...(processes > 0 ? [limit] : []), ...size, 'ulimit -c 0', 'exec "$@" 2>&1'].join('\n')
}

function checkWords(words: readonly string[]): void {
  for (const word of words) {
    if (word.includes('\0')) throw new WorkspaceError('a command cannot hold a NUL byte')
    if (Buffer.byteLength(word) >= maxArgumentBytes) {
      throw new WorkspaceError(`a command or argument has at most ${maxArgumentBytes - 1} bytes`)
    }
  }
}

async function directoryIn(workspace: string, path: string): Promise<string> {
  const { real } = await followPath(workspace, path)
  const stats = await stat(real).catch(() => undefined)
  if (!stats?.isDirectory()) throw new WorkspaceError(`working_dir ${quoted(path)} is not a directory`)
  return real
}
