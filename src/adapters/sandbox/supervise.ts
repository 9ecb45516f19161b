import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { bytes, duration } from '../../lib/amounts.ts'
import { errorCode } from '../../lib/errors.ts'
import { DeadlineError } from '../../lib/jobs/deadline.ts'
import { createDeferred } from '../../lib/jobs/waiting.ts'
import type { ToolLimits } from '../../tools/context.ts'
import { WorkspaceError, type ProcessOutcome } from '../../tools/workspace.ts'
import { covered, FIRST } from './inherited.ts'
import type { Launch } from './launch.ts'
import { CommandOutput } from './output.ts'
import { removeCgroup } from './process-cgroup.ts'
import { feed } from './run-briefly.ts'
import type { UsageWatch } from './usage.ts'

/** A command that writes more than this is ended at once, before its time limit. */
const FLOOD_BYTES = 64 * 1024 * 1024

/** How long a process that left the group may keep the pipes open after all others have ended. */
const PIPES_MS = 500

/** How long a command may take to end once it was killed. After that its outcome is told without waiting for it. */
const KILLED_MS = 1000

/**
 * Runs a child with no input in a process group of its own. At the time limit, after a flood of output, if `usage`
 * says so, or when the signal is aborted, the whole group is killed at once. When the child ends by itself, processes
 * that it left behind are killed. Resolves when all are gone, or a second after they were killed: the kernel may need
 * long to take back much memory. Rejects with the signal's reason when aborted, but for a deadline, which ends the
 * command as its own limit does; and with `WorkspaceError` if the child could not be started.
 */
export async function supervise(
  launch: Launch,
  limits: ToolLimits,
  signal: AbortSignal,
  usage: UsageWatch,
): Promise<ProcessOutcome> {
  signal.throwIfAborted()
  const { child, ended } = await startChild(launch)
  const end = new CommandEnd(child.pid, limits, signal)
  const output = new CommandOutput(limits)
  const take = (chunk: Buffer): void => {
    output.add(chunk)
    if (output.total > FLOOD_BYTES) end.stop(`it wrote more than ${bytes(FLOOD_BYTES)}`)
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  child.once('exit', () => void sweep(child, ended))
  const first = firstProcess(child.stdio[3])
  void first.then((pid) => (pid === undefined ? undefined : usage.watch(pid, end.stop, end.reached)))
  const result = await Promise.race([ended, end.overdue])
  end.reach()
  await Promise.all([until(async () => !exists(child.pid)), until(async () => isDead(await first))])
  if (launch.cgroup) void removeCgroup(launch.cgroup)
  if (end.why === CANCELLED) signal.throwIfAborted()
  return { output: output.text(), ...howItEnded(end.why, result), timedOut: end.why === timeNotice(limits) }
}

const CANCELLED = 'it was cancelled'

const timeNotice = (limits: ToolLimits): string => `it ran longer than ${duration(limits.timeoutMs)}`

/** `result` is undefined for a child that has not ended yet. */
function howItEnded(why: string | undefined, result: ChildEnd | undefined) {
  if (why !== undefined) return { signal: 'SIGKILL', notice: `stopped: ${why}` }
  return {
    ...(result?.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result?.signal === undefined ? {} : { signal: result.signal }),
  }
}

/** Kills the process group of one command at its time limit, when the signal is aborted, and for other reasons. */
class CommandEnd {
  /** The reason why it was killed; the first one stays. */
  why: string | undefined
  /** Resolves if it has not ended a second after it was killed. */
  readonly overdue: Promise<undefined>
  readonly #leader: number | undefined
  readonly #signal: AbortSignal
  readonly #reached = new AbortController()
  readonly #overdue = createDeferred<undefined>()
  readonly #timer: NodeJS.Timeout
  readonly #abort: () => void
  #late: NodeJS.Timeout | undefined

  constructor(leader: number | undefined, limits: ToolLimits, signal: AbortSignal) {
    this.#leader = leader
    this.#signal = signal
    this.overdue = this.#overdue.promise
    this.#abort = () => this.stop(signal.reason instanceof DeadlineError ? timeNotice(limits) : CANCELLED)
    this.#timer = setTimeout(() => this.stop(timeNotice(limits)), limits.timeoutMs)
    signal.addEventListener('abort', this.#abort)
    if (signal.aborted) this.#abort()
  }

  /** Aborted when it has ended. */
  get reached(): AbortSignal {
    return this.#reached.signal
  }

  readonly stop = (why: string): void => {
    this.why ??= why
    killGroup(this.#leader)
    this.#late ??= setTimeout(() => this.#overdue.resolve(undefined), KILLED_MS)
  }

  /** It has ended: nothing can stop it any more. */
  reach(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#late)
    this.#signal.removeEventListener('abort', this.#abort)
    this.#reached.abort()
  }
}

/** The pid that `bwrap --info-fd` writes: that of the first process in the sandbox. */
async function firstProcess(info: unknown): Promise<number | undefined> {
  if (!(info instanceof Readable)) return undefined
  const pid = /"child-pid": *(\d+)/.exec(await text(info).catch(() => ''))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** Ends what the child left behind, and the wait for pipes that a process outside the group still has. */
async function sweep(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  killGroup(child.pid)
  await Promise.race([ended, delay(PIPES_MS)])
  child.stdout?.destroy()
  child.stderr?.destroy()
}

interface ChildEnd {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  /** Why it could not be started. */
  readonly error?: unknown
}

/**
 * Starts a child. `ended` resolves when it is gone and its pipes are closed. With node's own `spawn`: execa compares
 * each descriptor with all others, which takes 40 ms where one of 250 has to be covered.
 */
async function startChild(launch: Launch) {
  const further = [launch.tellsPid ? 'pipe' : 'ignore', launch.filter ?? 'ignore'] as const
  const places = covered(further, launch.inherited ?? [])
  const child = spawned(
    launch,
    places.map((place) => (place instanceof Uint8Array ? 'pipe' : place)),
  )
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (exitCode, signal) =>
      resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined }),
    )
  })
  // Without a descriptor left there is not even a list of pipes.
  if (child.pid === undefined) throw notStarted((await ended).error)
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  for (const [index, place] of places.entries()) {
    if (place instanceof Uint8Array) feed(child.stdio[FIRST + index], place)
  }
  return { child, ended }
}

/** Some of what the kernel refuses is thrown, the rest is an event. */
function spawned({ file, args, cwd, env }: Launch, places: readonly ('pipe' | 'ignore')[]): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...places]
  try {
    return spawn(file, args, { cwd, env, stdio, detached: true })
  } catch (error) {
    throw notStarted(error)
  }
}

const notStarted = (error: unknown): WorkspaceError =>
  new WorkspaceError(`the command could not be started (${errorCode(error)})`, { cause: error })

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: no process is left.
  }
}

/** True if a process of the group is left. */
function exists(leader: number | undefined): boolean {
  try {
    return leader !== undefined && process.kill(-leader, 0)
  } catch {
    return false
  }
}

/** The first process of a pid namespace ends only after all others there (pid_namespaces(7)). */
async function isDead(pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return true
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /^(Z|X|$)/.test(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
}

/** How long the kernel may take to end what was killed. */
const END_MS = 500

async function until(done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + END_MS
  while (!(await done()) && performance.now() < end) await delay(2)
}
