import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Account } from '../../base/jobs/scheduler.ts'

/** Sends the response of `call` to a request. */
export async function serveMcp(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer<ArrayBuffer> | null,
  call: (asked: Request) => Promise<Response>,
  queueBytes: number,
  account: Account,
): Promise<void> {
  const gone = new AbortController()
  let asked: Request | undefined
  response.once('close', () => {
    gone.abort()
    // A garbage-collected `Request` never aborts its signal, so this reference keeps it alive until now.
    asked = undefined
  })
  const { method = 'GET', url = '/' } = request
  try {
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one)
    // The SDK looks for both names and knows no ranges (RFC 9110, 12.5.1).
    if (/^$|\*\/\*/.test(headers.get('accept') ?? ''))
      headers.set('accept', 'application/json, text/event-stream')
    asked = new Request(new URL(url, 'http://localhost'), { method, headers, signal: gone.signal, body })
    await send(await call(asked), response, queueBytes, account)
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}

/** Reads the whole body. Rejects if the client disconnects before the end. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | 'too long'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too long'
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return 'too long'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Sends a response piece by piece. Disconnects a client with more than `queueBytes` unsent in addition to the
 * largest piece, which may be one long answer.
 */
async function send(
  answered: Response,
  response: ServerResponse,
  queueBytes: number,
  account: Account,
): Promise<void> {
  response.writeHead(answered.status, {
    ...Object.fromEntries(answered.headers),
    'Cache-Control': 'no-store',
  })
  if (!answered.body) return void response.end()
  response.flushHeaders()
  const body = Readable.fromWeb(answered.body)
  response.once('close', () => body.destroy())
  let largest = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    if (response.writableLength === 0) largest = 0
    if (response.writableLength > largest + queueBytes) return void response.destroy()
    largest = Math.max(largest, piece.length)
    await account.run(() => response.write(piece))
  }
  response.end()
}
