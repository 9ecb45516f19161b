import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { bytes, duration } from '../base/amounts.ts'
import { errorCode } from '../base/errors.ts'
import { DeadlineError } from '../base/jobs/deadline.ts'
import { createDeferred } from '../base/jobs/waiting.ts'
import type { ProcessOutcome, ToolLimits } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { coverInherited, FIRST_EXTRA_FD } from './inherited.ts'
import type { Launch } from './launch.ts'
import { CommandOutput } from './output.ts'
import { removeCgroup } from './process-cgroup.ts'
import { feed } from './run-briefly.ts'
import type { UsageWatch } from './usage.ts'

/** A command that writes more than this is ended at once, before its time limit. */
const FLOOD_BYTES = 64 * 1024 * 1024

/** Milliseconds that a process outside the group may keep the pipes open after the child has exited. */
const PIPES_MS = 500

/** Milliseconds for a killed command to end. After that, its outcome is returned without waiting for it. */
const KILLED_MS = 1000

/**
 * Runs a child without input in its own process group. Kills the whole group at the time limit, after too
 * much output, if `usage` says so, or when the signal is aborted. Kills processes that an exited child left
 * behind. Resolves when all are gone, or a second after they were killed: the kernel may need long to take
 * back much memory. Rejects with `WorkspaceError` if the child cannot be started, and with the signal's
 * reason if it is aborted. A `DeadlineError` as that reason counts as the time limit.
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
  void first.then((pid) => (pid === undefined ? undefined : usage.watch(pid, end.stop, end.ended)))
  const result = await Promise.race([ended, end.overdue])
  end.markEnded()
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

/** Kills one command's process group at its time limit, when the signal is aborted, or by `stop`. */
class CommandEnd {
  /** The first reason for which the command was killed. */
  why: string | undefined
  /** Resolves if the command has not ended a second after it was killed. */
  readonly overdue: Promise<undefined>
  readonly #leader: number | undefined
  readonly #signal: AbortSignal
  readonly #ended = new AbortController()
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

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  readonly stop = (why: string): void => {
    this.why ??= why
    killGroup(this.#leader)
    this.#late ??= setTimeout(() => this.#overdue.resolve(undefined), KILLED_MS)
  }

  markEnded(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#late)
    this.#signal.removeEventListener('abort', this.#abort)
    this.#ended.abort()
  }
}

/** Resolves to the pid that `bwrap --info-fd` writes: that of the first process in the sandbox. */
async function firstProcess(info: unknown): Promise<number | undefined> {
  if (!(info instanceof Readable)) return undefined
  const pid = /"child-pid": *(\d+)/.exec(await text(info).catch(() => ''))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** Kills what the child left behind. Stops waiting for pipes that a process outside the group keeps open. */
async function sweep(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  killGroup(child.pid)
  await Promise.race([ended, delay(PIPES_MS)])
  child.stdout?.destroy()
  child.stderr?.destroy()
}

interface ChildEnd {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  /** The reason why the child could not be started. */
  readonly error?: unknown
}

/**
 * Starts a child. `ended` resolves when the child is gone and its pipes are closed. Uses node's own `spawn`:
 * execa compares each descriptor with all others, which takes 30 ms if descriptor 200 has to be covered.
 */
async function startChild(launch: Launch) {
  const further = [launch.tellsPid ? 'pipe' : 'ignore', launch.filter ?? 'ignore'] as const
  const places = coverInherited(further, launch.inherited ?? [])
  const child = spawnChild(
    launch,
    places.map((place) => (place instanceof Uint8Array ? 'pipe' : place)),
  )
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (exitCode, signal) =>
      resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined }),
    )
  })
  // If the server has no descriptor left, the child has no list of pipes either.
  if (child.pid === undefined) throw notStarted((await ended).error)
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  for (const [index, place] of places.entries()) {
    if (place instanceof Uint8Array) feed(child.stdio[FIRST_EXTRA_FD + index], place)
  }
  return { child, ended }
}

/** Node throws some of the kernel's errors and emits others as events. */
function spawnChild({ file, args, cwd, env }: Launch, places: readonly ('pipe' | 'ignore')[]): ChildProcess {
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

/** True if a process is gone. A pid namespace's first process ends after all others (pid_namespaces(7)). */
async function isDead(pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return true
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /^(Z|X|$)/.test(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
}

/** Milliseconds for the kernel to end killed processes. */
const END_MS = 500

async function until(done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + END_MS
  while (!(await done()) && performance.now() < end) await delay(2)
}
