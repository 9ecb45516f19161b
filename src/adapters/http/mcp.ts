import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Person } from '../../chat/people/person.ts'
import { answer, BodyError, readBody } from './exchange.ts'
import type { HttpServerOptions } from './options.ts'

/** Gives a request to MCP, and sends what it answers: a text, or a stream that a client must read. */
export async function serveMcp(
  request: IncomingMessage,
  response: ServerResponse,
  person: Person,
  { handler, limits }: HttpServerOptions,
): Promise<void> {
  const gone = new AbortController()
  let asked: Request | undefined
  response.once('close', () => {
    gone.abort()
    // Held until now: the signal of a `Request` that was collected as garbage tells nobody anything.
    asked = undefined
  })
  try {
    asked = await webRequest(request, limits.http_body_bytes, gone.signal)
    const answered = await handler.mcp?.(asked, person)
    if (answered) await send(answered, response, limits)
  } catch (error) {
    if (gone.signal.aborted) return
    if (!(error instanceof BodyError)) throw error
    answer(response, 413, error.message, { Connection: 'close' })
  }
}

/** The request as `fetch` has it. */
async function webRequest(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Request> {
  const body = request.method === 'POST' ? await readBody(request, maxBytes) : undefined
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const url = new URL(request.url ?? '/', 'http://localhost')
  return new Request(url, { method: request.method ?? 'GET', headers, signal, ...(body ? { body } : {}) })
}

/**
 * Sends an answer as it comes. A client that does not read is cut off: when it read nothing for `stall_s`, and when more than
 * `queue_bytes` wait for it besides the largest piece, which may be a long answer.
 */
async function send(
  answered: Response,
  response: ServerResponse,
  limits: HttpServerOptions['limits'],
): Promise<void> {
  response.writeHead(answered.status, {
    ...Object.fromEntries(answered.headers),
    'Cache-Control': 'no-store',
  })
  if (!answered.body) return void response.end()
  response.flushHeaders()
  // Node calls this once nothing has gone out for so long, also not a part of what waits; a quiet stream is no stall.
  response.setTimeout(limits.stall_s * 1_000, () => {
    if (response.writableLength > 0) response.destroy()
  })
  const body = Readable.fromWeb(answered.body)
  response.once('close', () => body.destroy())
  let largest = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    if (response.writableLength === 0) largest = 0
    if (response.writableLength > largest + limits.queue_bytes) return void response.destroy()
    largest = Math.max(largest, piece.length)
    response.write(piece)
  }
  response.end()
}
