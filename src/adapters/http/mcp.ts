import { once } from 'node:events'
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
  response.once('close', () => gone.abort())
  try {
    const asked = await webRequest(request, limits.http_body_bytes, gone.signal)
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

/** Sends an answer piece by piece, no faster than the client reads. One that does not read for `stall_s` is cut off. */
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
  const body = Readable.fromWeb(answered.body)
  response.once('close', () => body.destroy())
  for await (const piece of body) {
    if (response.write(piece)) continue
    const signal = AbortSignal.timeout(limits.stall_s * 1_000)
    try {
      await once(response, 'drain', { signal })
    } catch {
      return void response.destroy()
    }
  }
  response.end()
}
