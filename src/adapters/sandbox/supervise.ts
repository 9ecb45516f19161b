import { setTimeout as delay } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import { execa } from 'execa'
import { bytes } from '../../lib/bytes.ts'
import { duration } from '../../lib/duration.ts'
import { WorkspaceError, type CommandOutcome } from '../../tools/ports.ts'
import type { ToolLimits } from '../../tools/tool.ts'
import { collectOutput } from './output.ts'
import { groupGone, killGroup, namespaceGone } from './process-group.ts'

/** A child process, as it is to be started. */
export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** True if it is bubblewrap and tells the pid of its first process on file descriptor 3. */
  readonly tellsPid: boolean
}

/** Output beyond this is a runaway, which is ended at once rather than at the time limit. */
const floodBytes = 64 * 1024 * 1024

/** How long a process that left the group may hold the pipes open after everything else is dead. */
const pipesMs = 500

/**
 * Runs a child with no input in a process group of its own. At the time limit, after a flood of output, or
 * when the signal is aborted, the whole group is killed at once; at the child's own end, what it left behind
 * is. Resolves when all is gone. Rejects with the signal's reason when aborted, and with `WorkspaceError`
 * when the child could not be started.
 */
export async function supervise(
  launch: Launch,
  limits: ToolLimits,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  signal.throwIfAborted()
  const child = start(launch)
  const output = collectOutput(limits)
  let stopped: string | undefined
  const stop = (why: string): void => {
    stopped ??= why
    killGroup(child.pid)
  }
  const take = (chunk: Buffer): void => {
    output.add(chunk)
    if (output.total > floodBytes) stop(`it wrote more than ${bytes(floodBytes)}`)
  }
  const abort = (): void => stop('it was cancelled')
  const timeIsUp = (): void => stop(timeNotice(limits))
  const timer = setTimeout(timeIsUp, limits.timeoutMs)
  signal.addEventListener('abort', abort)
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const namespace = launch.tellsPid ? namespaceGone(child.stdio[3] as Readable) : Promise.resolve()
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

const start = (launch: Launch) =>
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
  await Promise.race([child, delay(pipesMs)])
  child.stdout.destroy()
  child.stderr.destroy()
}
