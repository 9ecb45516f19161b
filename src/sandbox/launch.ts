import type { ProcessSpec } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { MOUNT_POINT } from './follow-path.ts'
import { newCgroupPath, enterScript } from './process-cgroup.ts'
import { bubblewrapArguments, type Confinement, type ProcessLimits, type Strength } from './bubblewrap.ts'

export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** True if the child is bubblewrap and writes the pid of its first process to file descriptor 3. */
  readonly tellsPid: boolean
  /** Bytes that the child reads from file descriptor 4. */
  readonly filter?: Uint8Array | undefined
  /** Descriptors that the child must not get (inherited.ts). */
  readonly inherited?: readonly number[]
  /** A cgroup that the child creates; removed when the child has ended. */
  readonly cgroup?: string | undefined
}

/** Bytes of one argument with its NUL, whatever the machine (`MAX_ARG_STRLEN` of Linux). */
const MAX_WORD_BYTES = 128 * 1024

/** Returns the words of a command. Throws `WorkspaceError` for words that the kernel would refuse. */
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

/** A command without a sandbox can do all that the server's own user can. Its processes are not limited. */
export const launchUnconfined = (
  words: readonly string[],
  { cwd, workspace, limits }: Confinement,
): Launch => ({
  ...shellLaunch([FIRST_VICTIM, entryScript({ ...limits, processes: 0 })].join('\n'), words, workspace),
  cwd,
  tellsPid: false,
})

export async function launchConfined(
  words: readonly string[],
  box: Confinement,
  strength: Strength,
): Promise<Launch> {
  const inside = ['/bin/sh', '-c', entryScript(box.limits), 'sh', ...words]
  const args = [...(await bubblewrapArguments(box, strength)), ...inside]
  const { processes } = box.limits
  const cgroup = strength.cgroups && processes > 0 ? newCgroupPath(strength.cgroups) : undefined
  const enter = cgroup ? [enterScript(cgroup, processes)] : []
  return {
    ...shellLaunch([FIRST_VICTIM, ...enter, 'exec bwrap "$@"'].join('\n'), args, '/tmp'),
    cwd: '/',
    tellsPid: true,
    filter: strength.filter,
    cgroup,
  }
}

/**
 * Starts a sandboxed program that communicates over its input and output. Its error output stays apart, and
 * `env` is added to its environment. Its home is the workspace.
 */
export async function launchSpeaking(
  words: readonly string[],
  box: Confinement,
  strength: Strength,
  env: Readonly<Record<string, string>>,
): Promise<Launch> {
  const inside = ['/bin/sh', '-c', `${limitsScript(box.limits)}\nexec "$@"`, 'sh', ...words]
  const args = [...(await bubblewrapArguments(box, strength)), ...inside]
  const { env: usual, ...rest } = shellLaunch(`${FIRST_VICTIM}\nexec bwrap "$@"`, args, MOUNT_POINT)
  return {
    ...rest,
    env: { ...usual, ...env, HOME: MOUNT_POINT },
    cwd: '/',
    tellsPid: true,
    filter: strength.filter,
  }
}

/** The environment inherits nothing from the server's. */
const shellLaunch = (script: string, args: readonly string[], home: string) => ({
  file: '/bin/sh',
  args: ['-c', script, 'sh', ...args],
  env: {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    HOME: home,
    LANG: 'C.UTF-8',
  },
})

/** Out of memory, the kernel ends a command before the server (proc_pid_oom_score_adj(5)). */
const FIRST_VICTIM = '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null'

/** Open files of one process. No other limit counts the kernel's memory for pipes and sockets. */
const MAX_OPEN_FILES = 4096

/**
 * Memory that node 24 reserves for code and hardly uses, in KiB. The kernel counts it, because it could be
 * written (VmData of `node -e 0` is 560 MiB; 47 in node 20), so without this extra node 24 would not start
 * under 512 MiB.
 */
const RESERVED_KIB = 512 * 1024

/** The usual size of a process's stack, in KiB. The limit on memory does not count stacks. */
const STACK_KIB = 8192

/**
 * Returns a script that sets limits and then becomes the command, which it gets as arguments and never
 * parses. Error output joins the output, in the order of writing. QUOTING_STYLE lets GNU ls escape control
 * characters in names, which could forge a line. A lower existing limit is kept. Shells disagree on the
 * letter for processes. Sizes of files are in blocks of 512 bytes (POSIX), memory in KiB. RLIMIT_DATA is all
 * memory that a process alone can write (getrlimit(2)); RLIMIT_AS would also count what programs such as node
 * reserve and never use. usage.ts watches the memory that is really used.
 */
const entryScript = (limits: ProcessLimits): string =>
  [limitsScript(limits), 'export QUOTING_STYLE=c-maybe', 'exec "$@" 2>&1'].join('\n')

function limitsScript({ processes, memoryBytes, fileBytes }: ProcessLimits): string {
  return [
    'limit() { (ulimit "$1" "$2") 2>/dev/null && ulimit "$1" "$2"; }',
    ...(processes > 0 ? [`limit -u ${processes} || limit -p ${processes}`] : []),
    `limit -s ${STACK_KIB}`,
    `limit -d ${Math.floor(memoryBytes / 1024) + RESERVED_KIB}`,
    `limit -n ${MAX_OPEN_FILES}`,
    ...(fileBytes === Infinity ? [] : [`ulimit -f ${Math.ceil(fileBytes / 512)}`]),
    'ulimit -c 0',
  ].join('\n')
}
