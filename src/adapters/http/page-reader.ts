import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { WebError } from '../../tools/ports.ts'
import type { Reading, ReadRequest } from './reader/reading.ts'

/** Turns HTML into text that a model can read. */
export interface PageReader {
  /** Rejects with `WebError` for a page that takes too much, or with the signal's reason. */
  read(request: ReadRequest, signal: AbortSignal): Promise<Reading>
}

/** What reading one page may take. */
export interface ReaderLimits {
  readonly ms: number
  /** MiB of JavaScript heap. */
  readonly heapMiB: number
  /** Pages read side by side; each takes a core. */
  readonly atOnce: number
}

export const READER_LIMITS: ReaderLimits = { ms: 6_000, heapMiB: 192, atOnce: 2 }

/**
 * Reads each page in a thread of its own, which is ended when the page takes too much time or memory: HTML can be
 * built to hang any parser. `entry` is the built `reader/main.js`.
 */
export function createPageReader(entry: string, limits: ReaderLimits = READER_LIMITS): PageReader {
  const queue = pLimit(limits.atOnce)
  return { read: async (request, signal) => queue(async () => readOnce(entry, request, limits, signal)) }
}

async function readOnce(
  entry: string,
  request: ReadRequest,
  { ms, heapMiB }: ReaderLimits,
  outer: AbortSignal,
): Promise<Reading> {
  outer.throwIfAborted()
  const signal = AbortSignal.any([outer, AbortSignal.timeout(ms)])
  const thread = new Worker(entry, {
    workerData: request,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 32 },
  })
  try {
    const [reading] = (await once(thread, 'message', { signal })) as [Reading]
    return reading
  } catch (error) {
    outer.throwIfAborted()
    throw new WebError('the page is too large or too oddly built to be read; the format raw may work', {
      cause: error,
    })
  } finally {
    await thread.terminate()
  }
}
