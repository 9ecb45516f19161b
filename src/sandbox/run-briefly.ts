import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

export interface BriefResult {
  readonly succeeded: boolean
  readonly stdout: string
  /** The program's error output, or why the program could not be started. */
  readonly stderr: string
}

export interface BriefRun {
  readonly env?: Readonly<Record<string, string>>
  /** Bytes that the program reads from file descriptor 4. */
  readonly filter?: Uint8Array | undefined
  /** Milliseconds after which the program is killed. */
  readonly timeout: number
}

/** Never rejects. Uses node's `spawn`: a starting server waits for two runs, and execa loads in 24 ms. */
export async function runBriefly(
  file: string,
  args: readonly string[],
  { env, filter, timeout }: BriefRun,
): Promise<BriefResult> {
  const child = spawn(file, args, {
    ...(env === undefined ? {} : { env }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', filter === undefined ? 'ignore' : 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  })
  const ended = once(child, 'exit')
  try {
    // If no descriptor is left, there is neither a child nor its list of pipes.
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

/** Writes and ends a program's input. A program that ends without reading reports its own error. */
export function feed(pipe: unknown, bytes: Uint8Array | undefined): void {
  if (bytes === undefined || !(pipe instanceof Writable)) return
  pipe.on('error', () => undefined)
  pipe.end(bytes)
}
