import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Person } from '../../chat/people/person.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import { answer, BodyError, readBody } from './exchange.ts'
import type { HttpServerOptions } from './options.ts'

/** Gives a request to MCP, and sends what it answers: a text, or a stream that a client must read. */
export async function serveMcp(
  request: IncomingMessage,
  response: ServerResponse,
  person: Person,
  { handler, limits, accountOf }: HttpServerOptions,
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
    if (answered) await send(answered, response, limits, accountOf(person.id))
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
 * Sends an answer as it comes. Cuts off a client that does not read: one for which more than `queue_bytes` wait, besides
 * the largest piece, which may be a long answer.
 */
async function send(
  answered: Response,
  response: ServerResponse,
  limits: HttpServerOptions['limits'],
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
    if (response.writableLength > largest + limits.queue_bytes) return void response.destroy()
    largest = Math.max(largest, piece.length)
    await account.run(() => response.write(piece))
  }
  response.end()
}
