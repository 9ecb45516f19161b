import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { execa as Execa } from 'execa'
import { bytes } from '../../lib/bytes.ts'
import { duration } from '../../lib/duration.ts'
import { WorkspaceError, type ProcessOutcome } from '../../tools/ports/workspace.ts'
import type { ToolLimits } from '../../tools/limits.ts'
import type { Launch } from './launch.ts'
import { collectOutput } from './output.ts'

/** A command that writes more than this is ended at once, before its time limit. */
const FLOOD_BYTES = 64 * 1024 * 1024

/** How long a process that left the group may keep the pipes open after all others have ended. */
const PIPES_MS = 500

/** How long the kernel may take to end what was killed. */
const END_MS = 500

/**
 * Runs a child with no input in a process group of its own. At the time limit, after a flood of output, or
 * when the signal is aborted, the whole group is killed at once. When the child ends by itself, processes that it left
 * behind are killed. Resolves when all are gone. Rejects with the signal's reason when aborted, and with `WorkspaceError`
 * when the child could not be started.
 */
export async function supervise(
  launch: Launch,
  limits: ToolLimits,
  signal: AbortSignal,
): Promise<ProcessOutcome> {
  // Loaded with the first command: it is a hundred files.
  const { execa } = await import('execa')
  signal.throwIfAborted()
  const child = start(execa, launch)
  const output = collectOutput(limits)
  let stopped: string | undefined
  const stop = (why: string): void => {
    stopped ??= why
    killGroup(child.pid)
  }
  const take = (chunk: Buffer): void => {
    output.add(chunk)
    if (output.total > FLOOD_BYTES) stop(`it wrote more than ${bytes(FLOOD_BYTES)}`)
  }
  const abort = (): void => stop('it was cancelled')
  const timeIsUp = (): void => stop(timeNotice(limits))
  const timer = setTimeout(timeIsUp, limits.timeoutMs)
  signal.addEventListener('abort', abort)
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const namespace = namespaceGone(child.stdio[3])
  child.once('exit', () => void sweep(child))
  const result = await child
  clearTimeout(timer)
  signal.removeEventListener('abort', abort)
  await Promise.all([groupGone(child.pid), namespace])
  signal.throwIfAborted()
  if (child.pid === undefined) throw new WorkspaceError(`the command could not be started (${result.code})`)
  return {
    output: stopped === undefined ? output.text() : `${output.text()}… [stopped: ${stopped}]\n`,
    timedOut: stopped === timeNotice(limits),
    ...(stopped === undefined && result.exitCode !== undefined ? { exitCode: result.exitCode } : {}),
    ...(stopped !== undefined ? { signal: 'SIGKILL' } : result.signal ? { signal: result.signal } : {}),
  }
}

const timeNotice = (limits: ToolLimits): string => `it ran longer than ${duration(limits.timeoutMs)}`

const start = (execa: typeof Execa, launch: Launch) =>
  execa(launch.file, launch.args, {
    cwd: launch.cwd,
    env: launch.env,
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', launch.tellsPid ? 'pipe' : 'ignore'],
    encoding: 'buffer',
    buffer: false,
    reject: false,
    detached: true,
  })

/** Ends what the child left behind, and the wait for pipes that somebody outside the group still holds. */
async function sweep(child: ReturnType<typeof start>): Promise<void> {
  killGroup(child.pid)
  await Promise.race([child, delay(PIPES_MS)])
  child.stdout.destroy()
  child.stderr.destroy()
}

/** Kills every process of a group at once. A group that is gone, or never was, is no error. */
function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: nobody is left.
  }
}

/** Resolves when no process of the group is left, or after half a second. */
const groupGone = (leader: number | undefined): Promise<void> =>
  until(async () => leader === undefined || !exists(-leader))

/**
 * Resolves when the process that `bwrap --info-fd` names is dead, or after half a second. It is the first one in
 * its pid namespace, and the kernel lets it end only after all others there (pid_namespaces(7)).
 */
async function namespaceGone(info: unknown): Promise<void> {
  if (!(info instanceof Readable)) return
  const pid = /"child-pid": *(\d+)/.exec(await text(info).catch(() => ''))?.[1]
  if (pid !== undefined) await until(async () => /^(Z|X|$)/.test(await stateOf(pid)))
}

/** A letter (proc_pid_stat(5)); empty when there is no such process. */
async function stateOf(pid: string): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + END_MS
  while (!(await done()) && performance.now() < end) await delay(2)
}
