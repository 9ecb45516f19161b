import type { IncomingMessage, ServerResponse } from 'node:http'

/** The body was larger than it may be, or the client went away before its end. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/** Answers with a line of text, for people who look at a connection. The rest of the request is not read. */
export function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${text}\n`
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(hasBody(response.req) ? { Connection: 'close' } : {}),
    ...headers,
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

/** Whether there is something that nobody read. */
const hasBody = ({ headers, complete }: IncomingMessage): boolean =>
  !complete && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)

/** Reads a whole body, of at most `maxBytes`. Rejects with `BodyError`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (maxBytes: number): BodyError =>
  new BodyError(`a request may have ${maxBytes} bytes; send less at once`)
