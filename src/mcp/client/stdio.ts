import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { errorCode, errorMessage } from '../../base/errors.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import type { McpByCommand } from '../config.ts'
import { createLineSplitter, createMessagePace, MessageReader } from './message-reader.ts'

export interface McpLaunch {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  /** Descriptors from 3 on: a pipe that closes when sshawl exits, nothing, or these bytes. */
  readonly descriptors: readonly ('our life' | 'ignore' | Uint8Array)[]
}

/** Prepares a server's command. Rejects with an `Error` whose message ends a sentence. */
export type LaunchMcp = (reach: McpByCommand, name: string) => Promise<McpLaunch>

export interface EndingTransport extends Transport {
  /** The reason of the transport's end, in words that end a sentence; undefined if sshawl closed it. */
  why(): string | undefined
}

/** Milliseconds for a child to exit after the end of its input, and again after a signal. */
const GRACE_MS = 500

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Limit of the error output that is searched for the reason of the child's exit. */
const STDERR_CHARS = 8_000

/**
 * A child process that sends JSON lines, in a process group that ends with it. The child inherits nothing of
 * sshawl's environment. Calls `slowed` when the child's output is read more slowly.
 */
export class StdioTransport implements EndingTransport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  readonly #launch: () => Promise<McpLaunch>
  readonly #slowed: () => void
  readonly #reader = new MessageReader()
  #child: Child | undefined
  #following: Promise<void> | undefined
  #ending: Promise<void> | undefined
  #reason: string | undefined
  #isClosed = false

  constructor(launch: () => Promise<McpLaunch>, slowed: () => void) {
    this.#launch = launch
    this.#slowed = slowed
  }

  why(): string | undefined {
    return this.#reason
  }

  async start(): Promise<void> {
    try {
      this.#child = (await startChild(await this.#launch())).child
    } catch (error) {
      this.#reason = errorMessage(error)
      throw error
    }
    if (this.#isClosed) killGroup(this.#child, 'SIGKILL')
    this.#following = this.#follow(this.#child)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child
    try {
      if (!child?.stdin.writable) throw new Error('it closed its standard input')
      this.#reader.sent(message)
      // Waits, because sshawl must not queue messages for a child that does not read.
      if (!child.stdin.write(`${JSON.stringify(message)}\n`))
        await Promise.race([once(child.stdin, 'drain'), once(child, 'exit')])
    } catch (error) {
      // The child's exit explains more than this error.
      await Promise.race([this.#following, wait(GRACE_MS, undefined, { ref: false })])
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#child) await (this.#ending ??= endChild(this.#child))
  }

  /** Resolves when the child has exited. Kills the child if its output cannot be read. Never rejects. */
  async #follow(child: Child): Promise<void> {
    let stderr = ''
    child.stderr.on('data', (piece: Buffer) => (stderr = (stderr + piece.toString()).slice(-STDERR_CHARS)))
    const saidAll = once(child.stderr, 'close').catch(() => undefined)
    const reading = this.#read(child.stdout).catch((error: unknown) => {
      if (!this.#isClosed) this.#reason ??= errorMessage(error)
    })
    await Promise.race([exitOf(child), reading])
    await (this.#ending ??= endChild(child))
    killGroup(child, 'SIGKILL')
    await Promise.race([Promise.all([reading, saidAll]), wait(GRACE_MS, undefined, { ref: false })])
    for (const stream of child.stdio) stream?.destroy()
    const { exitCode, signalCode } = child
    const last = lastWords(stderr)
    const how = signalCode === null ? `it ended with status ${exitCode}` : `it ended by ${signalCode}`
    if (!this.#isClosed) this.#reason ??= last === '' ? how : `${how}: ${last}`
    this.onclose?.()
  }

  async #read(stdout: AsyncIterable<Buffer>): Promise<void> {
    const linesIn = createLineSplitter()
    const mayRead = createMessagePace(this.#slowed)
    for await (const piece of stdout)
      for (const line of linesIn(piece)) {
        await mayRead()
        for (const message of this.#reader.read(line)) this.onmessage?.(message)
      }
  }
}

/** Returns an object, because a promise of the child would wait for it: the child has a `then`. */
async function startChild({ file, args, env, cwd, descriptors }: McpLaunch): Promise<{ child: Child }> {
  // Loaded with the first server, because loading execa takes 24 ms.
  const { execa } = await import('execa')
  const more = descriptors.map((one) => (one === 'our life' ? 'pipe' : one))
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...more],
    buffer: false,
    reject: false,
  })
  if (child.pid === undefined) throw (await child).cause
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  return { child: child as Child }
}

const exitOf = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function endChild(child: Child): Promise<void> {
  child.stdin.end()
  const exit = exitOf(child).then(() => true)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await Promise.race([exit, wait(GRACE_MS, false)])) return
    killGroup(child, signal)
  }
  await exit
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

/** Matches `TypeError: …`, `error: …`, `panic: …` at the start of a line. */
const SAYS_WRONG =
  /^(?:Uncaught )?(?:[\w.]*(?:error|exception)\b(?: \[\w+\])?:|panic:|fatal\b|Exception in thread )/i
/** Matches an npm error line that names a cause. */
const OF_NPM = /^npm (?:error|ERR!) (?!code |A complete log)\S/

/** Matches a stack frame, marks under quoted code, or a runtime's last line. */
const SAYS_WHERE = /^(?:\s|[\^~{}[\]]+$|Node\.js v\d|note: )/

/** Returns the line of error output that explains the exit, sanitized and shortened; '' if there is none. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const found =
    lines.findLast((line) => SAYS_WRONG.test(line)) ??
    lines.find((line) => OF_NPM.test(line)) ??
    lines.findLast((line) => !SAYS_WHERE.test(line)) ??
    lines.at(-1)
  return cleanLine(found ?? '')
    .trim()
    .slice(0, 200)
}

/**
 * A shell script that becomes the command. A second shell kills the process group when sshawl exits, even by
 * SIGKILL, which closes descriptor 3: a server that ignores the end of its input would live on.
 */
const WITH_US =
  'unset PWD OLDPWD SHLVL _; (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"'

export const launchUnconfined: LaunchMcp = async ({ command, env, cwd }) => ({
  file: '/bin/sh',
  args: ['-c', WITH_US, 'sh', ...command],
  env,
  cwd,
  descriptors: ['our life'],
})
