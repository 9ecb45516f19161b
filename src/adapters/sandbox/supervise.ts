import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { bytes, duration } from '../../lib/amounts.ts'
import { DeadlineError } from '../../lib/jobs/deadline.ts'
import type { ProcessOutcome } from '../../tools/workspace.ts'
import type { ToolLimits } from '../../tools/context.ts'
import type { Launch } from './launch.ts'
import { collectOutput } from './output.ts'
import { removeCgroup } from './process-cgroup.ts'
import { groupGone, killGroup, namespaceGone } from './processes.ts'
import { startChild, type ChildEnd } from './start-child.ts'
import type { UsageWatch } from './watch-usage.ts'

/** A command that writes more than this is ended at once, before its time limit. */
const FLOOD_BYTES = 64 * 1024 * 1024

/** How long a process that left the group may keep the pipes open after all others have ended. */
const PIPES_MS = 500

/** How long a command may take to end once it was killed. After that its outcome is told without waiting for it. */
const KILLED_MS = 1000

/**
 * Runs a child with no input in a process group of its own. At the time limit, after a flood of output, when `usage`
 * says so, or when the signal is aborted, the whole group is killed at once. When the child ends by itself, processes
 * that it left behind are killed. Resolves when all are gone, or a second after they were killed: the kernel may need
 * long to take back much memory. Rejects with the signal's reason when aborted, but for a deadline, which ends the
 * command as its own limit does; and with `WorkspaceError` when the child could not be started.
 */
export async function supervise(
  launch: Launch,
  limits: ToolLimits,
  signal: AbortSignal,
  usage?: UsageWatch,
): Promise<ProcessOutcome> {
  signal.throwIfAborted()
  const { child, ended } = await startChild(launch)
  const end = createEnd(child.pid, limits, signal)
  const output = collectOutput(limits)
  const take = (chunk: Buffer): void => {
    output.add(chunk)
    if (output.total > FLOOD_BYTES) end.stop(`it wrote more than ${bytes(FLOOD_BYTES)}`)
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  child.once('exit', () => void sweep(child, ended))
  const first = firstProcess(child.stdio[3])
  void first.then((pid) => (pid === undefined ? undefined : usage?.watch(pid, end.stop, end.reached)))
  const result = await Promise.race([ended, once(end.overdue, 'abort').then(() => undefined)])
  end.reach()
  await Promise.all([groupGone(child.pid), first.then(namespaceGone)])
  if (launch.cgroup) void removeCgroup(launch.cgroup)
  if (end.why === CANCELLED) signal.throwIfAborted()
  return { output: output.text(), ...howItEnded(end.why, result), timedOut: end.why === timeNotice(limits) }
}

const CANCELLED = 'it was cancelled'

const timeNotice = (limits: ToolLimits): string => `it ran longer than ${duration(limits.timeoutMs)}`

/** `ended` is undefined for a child that has not ended yet. */
function howItEnded(
  why: string | undefined,
  ended: ChildEnd | undefined,
): Omit<ProcessOutcome, 'output' | 'timedOut'> {
  if (why !== undefined) return { signal: 'SIGKILL', notice: `stopped: ${why}` }
  return {
    ...(ended?.exitCode === undefined ? {} : { exitCode: ended.exitCode }),
    ...(ended?.signal === undefined ? {} : { signal: ended.signal }),
  }
}

/** How one command comes to its end. */
interface End {
  /** Kills it, for a reason; only the first is told. */
  stop(why: string): void
  readonly why: string | undefined
  /** Aborted when it has ended. */
  readonly reached: AbortSignal
  /** It has ended: nothing can stop it any more. */
  reach(): void
  /** Aborted when it has not ended although it was killed. */
  readonly overdue: AbortSignal
}

/** Stops a process group at its time limit, and when the signal is aborted. */
function createEnd(leader: number | undefined, limits: ToolLimits, signal: AbortSignal): End {
  const reached = new AbortController()
  const overdue = new AbortController()
  let why: string | undefined
  let late: ReturnType<typeof setTimeout> | undefined

  function stop(reason: string): void {
    why ??= reason
    killGroup(leader)
    late ??= setTimeout(() => overdue.abort(), KILLED_MS)
  }
  const abort = (): void => stop(signal.reason instanceof DeadlineError ? timeNotice(limits) : CANCELLED)
  const timer = setTimeout(() => stop(timeNotice(limits)), limits.timeoutMs)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()

  return {
    stop,
    get why() {
      return why
    },
    reached: reached.signal,
    reach() {
      clearTimeout(timer)
      clearTimeout(late)
      signal.removeEventListener('abort', abort)
      reached.abort()
    },
    overdue: overdue.signal,
  }
}

/** The pid that `bwrap --info-fd` writes: that of the first process in the sandbox. */
async function firstProcess(info: unknown): Promise<number | undefined> {
  if (!(info instanceof Readable)) return undefined
  const pid = /"child-pid": *(\d+)/.exec(await text(info).catch(() => ''))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** Ends what the child left behind, and the wait for pipes that somebody outside the group still holds. */
async function sweep(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  killGroup(child.pid)
  await Promise.race([ended, delay(PIPES_MS)])
  child.stdout?.destroy()
  child.stderr?.destroy()
}
