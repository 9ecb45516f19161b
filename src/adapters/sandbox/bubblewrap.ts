import { lstat, readlink } from 'node:fs/promises'
import { relative } from 'node:path'
import { MOUNT_POINT } from './follow-path.ts'

export interface Confinement {
  /** The room's directory, a real path. */
  readonly workspace: string
  /** Directory to start in: a real path in the workspace. */
  readonly cwd: string
  readonly readOnly: boolean
  readonly network: boolean
  readonly limits: ProcessLimits
}

export interface ProcessLimits {
  /** Of memory, for each of its processes and for all of them together. */
  readonly memoryBytes: number
  /** Processes that it may have at a time. */
  readonly processes: number
  /** How large a file may become; `Infinity`: no limit. */
  readonly fileBytes: number
}

/** What this machine's bubblewrap and kernel can add to the sandbox. */
export interface Strength {
  /** No user namespaces inside (bubblewrap 0.8). The filter of system calls refuses them as well. */
  readonly noUserNamespaces: boolean
  /** See `systemCallFilter`. */
  readonly filter: Uint8Array | undefined
  /** Where a command gets a cgroup of its own that limits its processes, see `findCgroups`. */
  readonly cgroups?: string | undefined
}

/** Programs and their libraries; on most systems all but /usr are links into it. */
const SYSTEM_DIRS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** Of /etc only what programs need to start; no accounts, no keys, no configuration of the machine. */
const SYSTEM_FILES = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime']

/** What names and certificates need, where the network is on. */
const NETWORK_FILES = ['resolv.conf', 'hosts', 'nsswitch.conf', 'services', 'ssl', 'pki', 'ca-certificates']

/** Bytes of the private /tmp and of /dev/shm, both in memory. A command with little memory has half and an eighth of it. */
const SCRATCH_BYTES = 256 * 1024 * 1024
const SHARED_BYTES = 64 * 1024 * 1024

/** The file descriptors on which bubblewrap tells the pid of its first process, and reads the filter. */
const INFO_FD = '3'
const FILTER_FD = '4'

/**
 * The arguments of `bwrap` (see bwrap(1)), before the command: new namespaces for everything, no
 * capabilities, a new terminal session, a system that cannot be written, and of the machine's other files
 * only the workspace.
 */
export async function bubblewrapArguments(box: Confinement, strength: Strength): Promise<readonly string[]> {
  const files = [...SYSTEM_FILES, ...(box.network ? NETWORK_FILES : [])]
  const { memoryBytes } = box.limits
  return [
    ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    box.network ? ['--share-net'] : ['--hostname', 'sandbox'],
    strength.noUserNamespaces ? ['--unshare-user', '--disable-userns'] : [],
    strength.filter ? ['--seccomp', FILTER_FD] : [],
    ['--info-fd', INFO_FD],
    ...(await Promise.all(SYSTEM_DIRS.map(systemDir))),
    ...files.map((name) => readable(`/etc/${name}`)),
    ['--proc', '/proc', '--dev', '/dev'],
    scratch('/dev/shm', Math.min(SHARED_BYTES, memoryBytes / 8)),
    scratch('/tmp', Math.min(SCRATCH_BYTES, memoryBytes / 2)),
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

const scratch = (path: string, size: number): readonly string[] => [
  '--size',
  String(Math.floor(size)),
  '--tmpfs',
  path,
]
