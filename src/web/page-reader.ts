import pLimit from 'p-limit'
import { WebError } from '../tools/index.ts'
import type { ReadablePage, ReadRequest } from './reader/read-html.ts'

/** Turns HTML into text. Rejects with `WebError` for a page over the limits, or with the signal's reason. */
export type ReadPage = (request: ReadRequest, signal: AbortSignal) => Promise<ReadablePage>

export interface ReaderLimits {
  readonly ms: number
  readonly heapMiB: number
  /** The number of pages read at the same time; each takes a core. */
  readonly atOnce: number
}

export const READER_LIMITS: ReaderLimits = { ms: 8_000, heapMiB: 256, atOnce: 2 }

/** Limits the result's JSON: a million characters, all escaped at worst. */
const READING_BYTES = 8 * 1024 * 1024

/** Makes the kernel end the reader, even if the server was killed. `$1` is in seconds of CPU time. */
const LIMITED = 'ulimit -t "$1" && shift && exec "$@"'

/**
 * Reads each page in a process, killed if over its time or memory: HTML can hang any parser, and a thread out
 * of memory may crash the server. `entry` is the built reader/main.ts.
 */
export function createPageReader(entry: string, limits: ReaderLimits = READER_LIMITS): ReadPage {
  const queue = pLimit(limits.atOnce)
  return async (request, signal) => queue(async () => readOnce(entry, request, limits, signal))
}

async function readOnce(
  entry: string,
  request: ReadRequest,
  { ms, heapMiB }: ReaderLimits,
  signal: AbortSignal,
): Promise<ReadablePage> {
  signal.throwIfAborted()
  try {
    const command = [process.execPath, `--max-old-space-size=${heapMiB}`, entry]
    // Loaded with the first page, because loading execa takes 24 ms.
    const { execa } = await import('execa')
    const { stdout } = await execa(
      '/bin/sh',
      ['-c', LIMITED, 'sh', String(Math.ceil(ms / 500)), ...command],
      {
        input: JSON.stringify(request),
        extendEnv: false,
        timeout: ms,
        killSignal: 'SIGKILL',
        cancelSignal: signal,
        maxBuffer: READING_BYTES,
      },
    )
    return JSON.parse(stdout) as ReadablePage
  } catch (error) {
    signal.throwIfAborted()
    throw new WebError('the page is too large or too oddly built to be read; the format raw may work', {
      cause: error,
    })
  }
}
