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
  /** Bytes of memory for each process and for all of them together. */
  readonly memoryBytes: number
  readonly processes: number
  /** Bytes to which a file may grow; `Infinity`: no limit. */
  readonly fileBytes: number
}

/** What this machine's bubblewrap and kernel can add to the sandbox. */
export interface Strength {
  /** No user namespaces inside (bubblewrap 0.8). The filter of system calls refuses them as well. */
  readonly noUserNamespaces: boolean
  /** See `systemCallFilter`. */
  readonly filter: Uint8Array | undefined
  /** Directory in which each command gets a cgroup that limits its processes, see `findCgroups`. */
  readonly cgroups?: string | undefined
}

/** Programs and their libraries; on most systems all except /usr are links into /usr. */
const SYSTEM_DIRS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** Files of /etc that programs need to start; no accounts, no keys, no configuration of the machine. */
const SYSTEM_FILES = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime']

/** Files of /etc for names and certificates, if the network is on. */
const NETWORK_FILES = ['resolv.conf', 'hosts', 'nsswitch.conf', 'services', 'ssl', 'pki', 'ca-certificates']

/** Bytes of the private /tmp, in memory; at most half of the command's memory. */
const SCRATCH_BYTES = 256 * 1024 * 1024
/** Bytes of /dev/shm, in memory; at most an eighth of the command's memory. */
const SHARED_BYTES = 64 * 1024 * 1024

/** Descriptor to which bubblewrap writes the pid of its first process. */
const INFO_FD = '3'
/** Descriptor from which bubblewrap reads the filter. */
const FILTER_FD = '4'

/**
 * Returns the arguments of `bwrap` (see bwrap(1)): new namespaces for everything, no capabilities, a new
 * terminal session, a read-only system, and of the machine's other files only the workspace.
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
    // The root and /dev are in memory, and must not be filled. /proc has the kernel's settings, which root
    // may write without any capability: bubblewrap 0.8 leaves them writable if root runs the server.
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
