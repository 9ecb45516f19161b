import { createMessagePace, TooLong } from './paced.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'

/**
 * As `fetch`, for answers whose messages are bounded in size and, where they are a stream of events, in number. An answer
 * that is too long fails alone; `broken` is told of a stream, since nobody else learns which answer was in it. `slowed` is told
 * where so many events come that they wait.
 */
export const createBoundedFetch =
  (broken: (error: TooLong) => void, slowed: () => void) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const pieces = isStream ? telling(eventsOf(response.body, slowed), broken) : wholeOf(response.body)
    const { status, statusText, headers } = response
    return new Response(ReadableStream.from(pieces), { status, statusText, headers })
  }

async function* telling(
  pieces: AsyncIterable<Uint8Array>,
  broken: (error: TooLong) => void,
): AsyncIterable<Uint8Array> {
  try {
    yield* pieces
  } catch (error) {
    if (error instanceof TooLong) broken(error)
    throw error
  }
}

async function* wholeOf(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > MAX_MESSAGE_BYTES) throw new TooLong()
    yield piece
  }
}

/** An event ends with an empty line (html.spec.whatwg.org, 9.2.5). */
async function* eventsOf(body: AsyncIterable<Uint8Array>, slowed: () => void): AsyncIterable<Uint8Array> {
  const mayRead = createMessagePace(slowed)
  let size = 0
  let last = 0
  for await (const piece of body) {
    for (const byte of piece) {
      if (byte === CR) continue
      size += 1
      if (size > MAX_MESSAGE_BYTES) throw new TooLong()
      if (byte === LF && last === LF) {
        size = 0
        await mayRead()
      }
      last = byte
    }
    yield piece
  }
}

const LF = 10
const CR = 13
