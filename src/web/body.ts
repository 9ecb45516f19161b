import type { IncomingMessage } from 'node:http'
import { PassThrough, pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { WebError } from '../tools/index.ts'
import type { TimeLimit } from './request.ts'
import { explain } from './request.ts'

export interface Body {
  readonly bytes: Buffer
  /** True if the body exceeds `maxBytes`. */
  readonly cut: boolean
}

/**
 * Reads and decompresses up to `maxBytes`, then closes the connection, so that no endless body or compression
 * bomb fills the memory. Rejects with `WebError` or the signal's reason.
 */
export async function readBody(
  answer: IncomingMessage,
  url: URL,
  maxBytes: number,
  { signal, progress }: TimeLimit,
): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of unpacked(answer, url, progress)) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) break
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof WebError) throw error
    throw new WebError(explain(error, url), { cause: error })
  } finally {
    answer.destroy()
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes }
}

function unpacked(answer: IncomingMessage, { host }: URL, progress: () => void): AsyncIterable<Buffer> {
  const encoding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpack = UNPACKERS.get(encoding)
  if (!unpack)
    throw new WebError(`${host} packed its answer as ${encoding.slice(0, 40)}, which was not asked for`)
  // The reader of the last stream gets all errors.
  return pipeline(answer, watched(progress), unpack(), () => {})
}

const watched = (progress: () => void) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      progress()
      yield chunk
    }
  }

const asIs = (): Transform => new PassThrough()

const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
  ['', asIs],
  ['identity', asIs],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])
