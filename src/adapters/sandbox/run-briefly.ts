import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** How a short run of a program went. */
export interface Ended {
  readonly succeeded: boolean
  readonly stdout: string
  /** What it wrote to standard error, or why it could not be started. */
  readonly stderr: string
}

/** What a program gets. */
export interface BriefRun {
  readonly env?: Readonly<Record<string, string>>
  /** What it reads from file descriptor 4. */
  readonly filter?: Uint8Array | undefined
  /** Milliseconds after which it is killed. */
  readonly timeout: number
}

/**
 * Runs a program to its end; never rejects. With node's own means: a server waits for two such runs when it starts, and
 * execa is a hundred files to load.
 */
export async function runBriefly(
  file: string,
  args: readonly string[],
  { env, filter, timeout }: BriefRun,
): Promise<Ended> {
  const child = spawn(file, args, {
    ...(env === undefined ? {} : { env }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', filter === undefined ? 'ignore' : 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  })
  const ended = once(child, 'exit')
  try {
    // Without a descriptor left there is neither a child nor its list of pipes.
    if (child.pid === undefined) await ended
    feed(child.stdio[4], filter)
    const [[code], stdout, stderr] = await Promise.all([
      ended,
      textOf(child.stdout),
      textOf(child.stderr),
      textOf(child.stdio[3]),
    ])
    return { succeeded: code === 0, stdout, stderr }
  } catch (error) {
    return { succeeded: false, stdout: '', stderr: String(error) }
  }
}

const textOf = async (stream: unknown): Promise<string> =>
  stream instanceof Readable ? await text(stream) : ''

/** Gives a program these bytes to read, then their end. One that ends without reading says itself what was wrong. */
export function feed(pipe: unknown, bytes: Uint8Array | undefined): void {
  if (bytes === undefined || !(pipe instanceof Writable)) return
  pipe.on('error', () => undefined)
  pipe.end(bytes)
}
