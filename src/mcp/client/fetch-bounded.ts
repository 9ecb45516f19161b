import { MAX_MESSAGE_BYTES, TooLong } from './message-reader.ts'

/** Like `fetch`, but reading an answer beyond the size limit rejects with `TooLong`. */
export async function fetchBounded(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  return response.body ? withBody(response, boundedPieces(response.body)) : response
}

export async function* boundedPieces(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > MAX_MESSAGE_BYTES) throw new TooLong()
    yield piece
  }
}

export function withBody(
  { status, statusText, headers }: Response,
  body: string | AsyncIterable<Uint8Array>,
  type?: string,
): Response {
  const sent = new Headers(headers)
  if (type !== undefined) sent.set('content-type', type)
  return new Response(typeof body === 'string' ? body : ReadableStream.from(body), {
    status,
    statusText,
    headers: sent,
  })
}
