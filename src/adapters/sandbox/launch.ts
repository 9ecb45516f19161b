import { lstat, readlink } from 'node:fs/promises'
import { relative } from 'node:path'
import { WorkspaceError, type ProcessSpec } from '../../tools/ports/workspace.ts'
import { MOUNT_POINT } from './follow-path.ts'

/** A child process, as it is to be started. */
export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** True if it is bubblewrap and writes the pid of its first process to file descriptor 3. */
  readonly tellsPid: boolean
}

/** What holds for one command. */
export interface Confinement {
  /** The room's directory, a real path. */
  readonly workspace: string
  /** Directory to start in: a real path in the workspace. */
  readonly cwd: string
  readonly readOnly: boolean
  readonly network: boolean
  /** Size of the private /tmp, in memory. */
  readonly scratchBytes: number
  /** Processes that it may start; 0: no limit. */
  readonly processes: number
  /** How large a file may become; `Infinity`: no limit. */
  readonly fileBytes: number
}

/** One argument may have this many bytes with its NUL, whatever the machine (`MAX_ARG_STRLEN` of Linux). */
const MAX_WORD_BYTES = 128 * 1024

/** The words of a command. Throws `WorkspaceError` for those that the kernel would refuse. */
export function wordsOf(spec: ProcessSpec): readonly string[] {
  const words = 'argv' in spec ? spec.argv : ['/bin/sh', '-c', spec.shell]
  for (const word of words) {
    if (word.includes('\0')) throw new WorkspaceError('a command cannot hold a NUL byte')
    if (Buffer.byteLength(word) >= MAX_WORD_BYTES) {
      throw new WorkspaceError(`a command or argument has at most ${MAX_WORD_BYTES - 1} bytes`)
    }
  }
  return words
}

/** A command without a sandbox: it can do all that the server's own user can. */
export const launchUnconfined = (
  words: readonly string[],
  { cwd, workspace, fileBytes }: Confinement,
): Launch => ({
  ...started('/bin/sh', ['-c', entryScript(0, fileBytes), 'sh', ...words], workspace),
  cwd,
  tellsPid: false,
})

/** A command in bubblewrap. */
export async function launchConfined(words: readonly string[], box: Confinement): Promise<Launch> {
  const inside = ['/bin/sh', '-c', entryScript(box.processes, box.fileBytes), 'sh', ...words]
  const args = [...(await bubblewrapArguments(box)), ...inside]
  return { ...started('bwrap', args, '/tmp'), cwd: '/', tellsPid: true }
}

/** The environment has these three variables and no others. */
const started = (file: string, args: readonly string[], home: string) => ({
  file,
  args,
  env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin', HOME: home, LANG: 'C.UTF-8' },
})

/**
 * A script that sets limits and then becomes the command. It gets the command as its arguments and never parses it.
 * Error output joins the output, in the order in which both are written. Shells disagree on the letter for processes.
 * Sizes of files are counted in blocks of 512 bytes (POSIX).
 */
function entryScript(processes: number, fileBytes: number): string {
  const limit = `for flag in u p; do (ulimit -$flag ${processes}) 2>/dev/null && ulimit -$flag ${processes} && break; done`
  const size = fileBytes === Infinity ? [] : [`ulimit -f ${Math.ceil(fileBytes / 512)}`]
  return [...(processes > 0 ? [limit] : []), ...size, 'ulimit -c 0', 'exec "$@" 2>&1'].join('\n')
}

/** Programs and their libraries; on most systems all but /usr are links into it. */
const SYSTEM_DIRS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** Of /etc only what programs need to start; no accounts, no keys, no configuration of the machine. */
const SYSTEM_FILES = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime']

/** What names and certificates need, where the network is on. */
const NETWORK_FILES = ['resolv.conf', 'hosts', 'nsswitch.conf', 'services', 'ssl', 'pki', 'ca-certificates']

/**
 * The arguments of `bwrap` (see bwrap(1)), before the command: new namespaces for everything, no
 * capabilities, a new terminal session, a system that cannot be written, and of the machine's other files
 * only the workspace.
 */
async function bubblewrapArguments(box: Confinement): Promise<readonly string[]> {
  const files = [...SYSTEM_FILES, ...(box.network ? NETWORK_FILES : [])]
  return [
    ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    box.network ? ['--share-net'] : ['--hostname', 'sandbox'],
    ['--info-fd', '3'],
    ...(await Promise.all(SYSTEM_DIRS.map(systemDir))),
    ...files.map((name) => readable(`/etc/${name}`)),
    ['--proc', '/proc', '--dev', '/dev'],
    scratch('/dev/shm', box.scratchBytes),
    scratch('/tmp', box.scratchBytes),
    [box.readOnly ? '--ro-bind' : '--bind', box.workspace, MOUNT_POINT],
    // The root and /dev are in memory, and must not be filled. /proc has the kernel's settings, which root may write
    // without any capability: bubblewrap 0.8 leaves them open where root runs the server.
    ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', `${MOUNT_POINT}/${relative(box.workspace, box.cwd)}`, '--'],
  ].flat()
}

async function systemDir(path: string): Promise<readonly string[]> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isSymbolicLink()) return readable(path)
  return ['--symlink', await readlink(path), path]
}

const readable = (path: string): readonly string[] => ['--ro-bind-try', path, path]

const scratch = (path: string, size: number): readonly string[] => ['--size', String(size), '--tmpfs', path]

/** Whether commands can run in a sandbox on this machine, and if not, why and what to do. */
export type SandboxState =
  { readonly works: true; readonly version: string } | { readonly works: false; readonly reason: string }

/** What the sandbox is tried with: it changes nothing. */
const TRIAL: Confinement = {
  workspace: '/usr',
  cwd: '/usr',
  readOnly: true,
  network: false,
  scratchBytes: 1 << 20,
  processes: 0,
  fileBytes: Infinity,
}

/** Tries a real sandbox, around an empty command. Never throws. */
export async function probeSandbox(): Promise<SandboxState> {
  const { execa } = await import('execa')
  const version = await execa('bwrap', ['--version'], { reject: false, stdin: 'ignore' })
  if (version.failed) {
    return { works: false, reason: 'bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)' }
  }
  const { file, args } = await launchConfined(['true'], TRIAL)
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe'] as const
  const trial = await execa(file, args, { reject: false, stdio, timeout: 10_000 })
  if (!trial.failed) return { works: true, version: version.stdout.trim() }
  const said = trial.stderr.trim().split('\n').at(-1) || (trial.shortMessage ?? '')
  return { works: false, reason: `bubblewrap does not work here: ${said.slice(0, 300)}` }
}
