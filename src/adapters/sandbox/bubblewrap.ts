import { lstat, readlink } from 'node:fs/promises'
import { mountPoint } from './follow-path.ts'

/** What one sandbox is made for. */
export interface Confinement {
  /** The room's directory, a real path. */
  readonly workspace: string
  readonly readOnly: boolean
  readonly network: boolean
  /** Directory to start in, as it is called inside. */
  readonly cwd: string
  /** Size of the private /tmp, in memory. */
  readonly scratchBytes: number
}

/** The file descriptor on which bubblewrap tells the pid of the sandbox's first process. */
export const infoFd = 3

/** Programs and their libraries; on most systems all but /usr are links into it. */
const systemDirs = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

/** Of /etc only what programs need to start; no accounts, no keys, no configuration of the machine. */
const systemFiles = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime']

/** And what names and certificates need, where the network is on. */
const networkFiles = ['resolv.conf', 'hosts', 'nsswitch.conf', 'services', 'ssl', 'pki', 'ca-certificates']

/**
 * The arguments of `bwrap` (see bwrap(1)), before the command: new namespaces for everything, no
 * capabilities, a new terminal session, a system that cannot be written, and of the machine's other files
 * only the workspace.
 */
export async function bubblewrapArguments(box: Confinement): Promise<readonly string[]> {
  const files = [...systemFiles, ...(box.network ? networkFiles : [])]
  return [
    ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    box.network ? ['--share-net'] : ['--hostname', 'sandbox'],
    ['--info-fd', String(infoFd)],
    ...(await Promise.all(systemDirs.map(systemDir))),
    ...files.map((name) => readable(`/etc/${name}`)),
    ['--proc', '/proc', '--dev', '/dev'],
    scratch('/dev/shm', box.scratchBytes),
    scratch('/tmp', box.scratchBytes),
    [box.readOnly ? '--ro-bind' : '--bind', box.workspace, mountPoint],
    // The root and /dev are memory of their own, which nobody may fill. In /proc are the kernel's settings,
    // which root may write without any capability (bubblewrap 0.8 leaves them open to a server run by root).
    ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', box.cwd, '--'],
  ].flat()
}

async function systemDir(path: string): Promise<readonly string[]> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isSymbolicLink()) return readable(path)
  return ['--symlink', await readlink(path), path]
}

const readable = (path: string): readonly string[] => ['--ro-bind-try', path, path]

const scratch = (path: string, size: number): readonly string[] => ['--size', String(size), '--tmpfs', path]
