import {
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type StdioOptions,
} from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Transport } from '@modelcontextprotocol/client'
import { errorCode, errorMessage } from '../../../lib/errors.ts'
import { Asked } from './asked.ts'
import { lastWords } from './last-words.ts'
import type { McpLaunch } from './launch.ts'
import { createLineSplitter, createMessagePace, type MessageText } from './paced.ts'

/** A transport that knows why it has ended. */
export interface EndingTransport extends Transport {
  /** In words that end a sentence; undefined where we closed it. */
  why(): string | undefined
}

/** How long a child may take to end when its input has ended, and again when it was told to, in milliseconds. */
const GRACE_MS = 500

/** Characters of its error output that are kept for whoever asks why it ended. */
const STDERR_CHARS = 8_000

/**
 * A child process that speaks JSON lines. It has the environment that it is given and nothing of ours, and a process
 * group of its own, which ends with it. A line that is no message is passed over. `slowed` is told
 * where so many come that they wait.
 */
export function createStdioTransport(launch: () => Promise<McpLaunch>, slowed: () => void): EndingTransport {
  const asked = new Asked()
  let child: ChildProcessWithoutNullStreams | undefined
  let why: string | undefined
  let stderr = ''
  let closed = false
  let following: Promise<void> | undefined

  async function read(stdout: AsyncIterable<Buffer>): Promise<void> {
    const linesIn = createLineSplitter()
    const mayRead = createMessagePace(slowed)
    for await (const piece of stdout)
      for (const line of linesIn(piece)) {
        await mayRead()
        take(line)
      }
  }

  function take(line: MessageText): void {
    try {
      for (const message of asked.read(line)) transport.onmessage?.(message)
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** When the child has ended, or cannot be read any more. */
  async function follow(one: ChildProcessWithoutNullStreams): Promise<void> {
    const ended = once(one, 'exit')
    const reading = read(one.stdout).catch((error: unknown) => {
      if (!closed) why ??= errorMessage(error)
    })
    await Promise.race([ended, reading])
    closeInput(one)
    const [code, signal] = await endOf(one)
    killGroup(one, 'SIGKILL')
    await Promise.race([reading, wait(GRACE_MS, undefined, { ref: false })])
    for (const stream of one.stdio) stream?.destroy()
    if (!closed)
      why ??= withLastWords(signal === null ? `it ended with status ${code}` : `it ended by ${signal}`)
    transport.onclose?.()
  }

  const withLastWords = (text: string): string => {
    const last = lastWords(stderr)
    return last === '' ? text : `${text}: ${last}`
  }

  async function begin(): Promise<ChildProcessWithoutNullStreams> {
    try {
      return await started(await launch())
    } catch (error) {
      why = errorMessage(error)
      throw error
    }
  }

  const transport: EndingTransport = {
    why: () => why,
    async start() {
      const one = await begin()
      if (closed) killGroup(one, 'SIGKILL')
      one.stderr.on('data', (text: Buffer) => void (stderr = (stderr + text.toString()).slice(-STDERR_CHARS)))
      child = one
      following = follow(one)
    },
    async send(message) {
      try {
        if (!child?.stdin.writable) throw new Error('it does not listen any more')
        asked.add(message)
        if (!child.stdin.write(`${JSON.stringify(message)}\n`)) await drained(child)
      } catch (error) {
        // Most likely it has just ended, and why it did says more.
        await Promise.race([following, wait(GRACE_MS, undefined, { ref: false })])
        throw error
      }
    },
    async close() {
      closed = true
      if (!child) return
      closeInput(child)
      await endOf(child)
    },
  }
  return transport
}

/** Rejects with an `Error` whose message ends a sentence. */
async function started({
  file,
  args,
  env,
  cwd,
  descriptors,
}: McpLaunch): Promise<ChildProcessWithoutNullStreams> {
  const more = descriptors.map((one) => (one === 'ignore' ? one : 'pipe'))
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', ...more]
  const child = spawn(file, args, { env: { ...env }, cwd, stdio, detached: true })
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw new Error(`${file} could not be started (${errorCode(error) ?? errorMessage(error)})`, {
      cause: error,
    })
  }
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  for (const [at, given] of descriptors.entries()) {
    const stream = child.stdio[at + 3]
    if (given instanceof Uint8Array && stream && 'end' in stream) stream.end(given)
  }
  if (!hasPipes(child)) throw new Error(`${file} has no pipes`)
  return child
}

/** What `spawn` promises for these options. */
const hasPipes = (child: ChildProcess): child is ChildProcessWithoutNullStreams =>
  child.stdin !== null && child.stdout !== null && child.stderr !== null

const closeInput = (child: ChildProcessWithoutNullStreams): void => void child.stdin.end()

/** Waits for the end of a child whose input has ended; helps it along, in the end with force. */
async function endOf(
  child: ChildProcessWithoutNullStreams,
): Promise<readonly [number | null, string | null]> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await hasEnded(child, GRACE_MS)) break
    killGroup(child, signal)
  }
  if (!isOver(child)) await once(child, 'exit')
  return [child.exitCode, child.signalCode]
}

const isOver = ({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean =>
  exitCode !== null || signalCode !== null

async function hasEnded(child: ChildProcessWithoutNullStreams, ms: number): Promise<boolean> {
  if (isOver(child)) return true
  const late = new AbortController()
  const exit = once(child, 'exit', { signal: late.signal }).catch(() => undefined)
  await Promise.race([exit, wait(ms)])
  late.abort()
  return isOver(child)
}

/** A child that reads nothing must not make us keep what it is sent. */
const drained = (child: ChildProcessWithoutNullStreams): Promise<unknown> =>
  Promise.race([once(child.stdin, 'drain'), once(child, 'exit')])

function killGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
