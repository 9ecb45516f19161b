import pLimit from 'p-limit'
import { WebError } from '../../tools/web.ts'
import type { Reading, ReadRequest } from './reader/read-html.ts'

/** Turns HTML into text. Rejects with `WebError` for a page that takes too much, or with the signal's reason. */
export type ReadPage = (request: ReadRequest, signal: AbortSignal) => Promise<Reading>

/** What reading one page may take. */
export interface ReaderLimits {
  readonly ms: number
  /** MiB of JavaScript heap. */
  readonly heapMiB: number
  /** Pages read side by side; each takes a core. */
  readonly atOnce: number
}

export const READER_LIMITS: ReaderLimits = { ms: 8_000, heapMiB: 256, atOnce: 2 }

/** Bytes of a reading as JSON: a million characters, each escaped at worst. */
const READING_BYTES = 8 * 1024 * 1024

/** If the server is killed, the kernel still ends the reader. The first argument is in seconds of processor time. */
const LIMITED = 'ulimit -t "$1" && shift && exec "$@"'

/**
 * Reads each page in a process of its own, which is killed when the page takes too much time or memory: HTML can be
 * built to hang any parser, and a thread that runs out of memory may take the server with it. `entry` is the built
 * reader/main.ts.
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
): Promise<Reading> {
  signal.throwIfAborted()
  try {
    const command = [process.execPath, `--max-old-space-size=${heapMiB}`, entry]
    // Loaded with the first page: it is a hundred files.
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
    return JSON.parse(stdout) as Reading
  } catch (error) {
    signal.throwIfAborted()
    throw new WebError('the page is too large or too oddly built to be read; the format raw may work', {
      cause: error,
    })
  }
}
