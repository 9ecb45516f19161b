import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { errorMessage } from '../../../lib/errors.ts'
import type { Asked } from './asked.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { BoundedMessage, createLineSplitter, createMessagePace, TooLong } from './paced.ts'
import { unreadable } from './tolerant.ts'

/** As `fetch`, for answers of bounded size. Reading one that is longer rejects with `TooLong`. */
export async function fetchBounded(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  return response.body ? withBody(response, wholeOf(response.body)) : response
}

/** How the messages of a server are read. */
interface MessageFetchParts {
  readonly asked: Asked
  /** The stream of events has no end to one message. */
  broken(error: TooLong): void
  /** So many events come that they wait. */
  slowed(): void
}

/** As `fetch`, for answers that are messages, alone or as a stream of events: each is as the SDK takes it. */
export const createMessageFetch =
  ({ asked, broken, slowed }: MessageFetchParts) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const id = asked.add(requestIn(init))
    const response = await fetch(url, init)
    if (!response.body) return response
    const type = response.headers.get('content-type') ?? ''
    if (/^text\/event-stream/i.test(type))
      return withBody(response, telling(eventsOf(response.body, { asked, id, slowed }), broken))
    if (!response.ok || id === undefined) return withBody(response, wholeOf(response.body))
    const message = new BoundedMessage()
    for await (const piece of response.body) message.add(Buffer.from(piece))
    const whole = message.take()
    // Some say that their JSON is a text.
    const isJson = /json/i.test(type) || /^\s*[[{]/.test(whole.text)
    if (!isJson) return withBody(response, whole.text)
    const messages = asked.read(whole, id).map(jsonOf)
    const body = messages.length === 1 ? messages.join('') : `[${messages.join()}]`
    return withBody(response, body, 'application/json')
  }

/** What is nested so deep that it cannot be written again is refused; the SDK would read it from here. */
function jsonOf(message: JSONRPCMessage): string {
  try {
    return JSON.stringify(message)
  } catch (error) {
    if ('method' in message) return JSON.stringify({ jsonrpc: '2.0', method: message.method })
    const { id } = message
    const refusal = { code: -32_000, message: unreadable(errorMessage(error)) }
    return JSON.stringify({ jsonrpc: '2.0', id, error: refusal })
  }
}

function withBody(
  { status, statusText, headers }: Response,
  body: string | AsyncIterable<Uint8Array>,
  type?: string,
): Response {
  const sent = new Headers(headers)
  if (type !== undefined) sent.set('content-type', type)
  return new Response(typeof body === 'string' ? body : ReadableStream.from(body), {
    ...{ status, statusText, headers: sent },
  })
}

/** The message of a POST. */
function requestIn(init: RequestInit | undefined): unknown {
  return init?.method === 'POST' && typeof init.body === 'string' ? JSON.parse(init.body) : undefined
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

/** How the events of one stream are read; `id` is that of the request that it answers. */
interface EventParts extends Pick<MessageFetchParts, 'asked' | 'slowed'> {
  readonly id: RequestId | undefined
}

/** An event is lines of fields, and ends with an empty line (html.spec.whatwg.org, 9.2.5). */
async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  { asked, id, slowed }: EventParts,
): AsyncIterable<Uint8Array> {
  const linesIn = createLineSplitter()
  const mayRead = createMessagePace(slowed)
  let fields: string[] = []
  let data: string[] = []
  let isCut = false
  let size = 0
  for await (const piece of body)
    for (const line of linesIn(Buffer.from(piece))) {
      const text = line.text.replace(/\r$/, '').replace(/^\uFEFF/, '')
      isCut ||= line.isCut
      size += text.length
      if (size > MAX_MESSAGE_BYTES) isCut = true
      if (text !== '') {
        const isData = text.startsWith('data:')
        if (!isData) fields.push(text)
        else if (!isCut || data.length === 0) data.push(text.slice(5).replace(/^ /, ''))
        continue
      }
      const whole = { text: data.join('\n'), isCut }
      const isMessage = data.length > 0 && whole.text !== '' && !fields.some(isOtherEvent)
      const messages = isMessage ? asked.read(whole, id, true) : undefined
      yield Buffer.from(eventOf(fields, messages?.map(jsonOf) ?? [data.join('\ndata: ')]))
      fields = []
      data = []
      isCut = false
      size = 0
      await mayRead()
    }
}

const isOtherEvent = (field: string): boolean =>
  field.startsWith('event:') && !/^event: ?(?:message)?$/.test(field)

/** An event for each message; one without any keeps its id. */
const eventOf = (fields: readonly string[], messages: readonly string[]): string =>
  (messages.length === 0 ? [''] : messages)
    .map((data, at) => `${[...(at === 0 ? fields : []), `data: ${data}`].join('\n')}\n\n`)
    .join('')
