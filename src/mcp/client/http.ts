import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import type { McpByUrl } from '../config.ts'
import type { ServerLogin } from '../logins.ts'
import type { Sdk } from './explain-error.ts'
import { boundedPieces, type fetchBounded, withBody } from './fetch-bounded.ts'
import {
  BoundedMessage,
  createLineSplitter,
  createMessagePace,
  MAX_MESSAGE_BYTES,
  MessageReader,
  TooLong,
} from './message-reader.ts'
import type { EndingTransport } from './stdio.ts'

interface HttpOptions {
  /** Uses the transport of 2024-11-05, with one event stream for all answers. */
  readonly isEvents: boolean
  readonly login?: ServerLogin | undefined
  slowed(): void
}

/** Creates a transport whose messages `MessageReader` reads before the SDK. Limits a message's size. */
export function createHttpTransport(sdk: Sdk, reach: McpByUrl, options: HttpOptions): EndingTransport {
  const { isEvents, login, slowed } = options
  let why: string | undefined
  const fetchMessages = createMessageFetch(slowed, (error) => {
    why ??= error.message
    void transport.close().catch(() => undefined)
  })
  const http = {
    fetch: async (address: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await fetchMessages(address, init)
      login?.answered(response, new Headers(init?.headers).get('authorization'))
      return response
    },
    requestInit: { headers: { ...reach.headers } },
    ...(login ? { authProvider: login.auth } : {}),
  }
  const Made = isEvents ? sdk.SSEClientTransport : sdk.StreamableHTTPClientTransport
  const transport: EndingTransport = Object.assign(new Made(new URL(reach.url), http), { why: () => why })
  const send = transport.send.bind(transport)
  // The SDK would wait forever for an answer whose stream broke off. The SDK ignores a second answer.
  transport.send = (message, more) => {
    const onRequestStreamEnd = (): void => {
      if ('id' in message && message.id !== undefined)
        transport.onmessage?.(errorFor(message.id, 'its answer broke off before it was whole'))
    }
    return send(message, { onRequestStreamEnd, ...more })
  }
  return transport
}

const errorFor = (id: RequestId, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message },
})

/** A `fetch` for messages and event streams. Calls `endless` for an event beyond the hard size limit. */
function createMessageFetch(slowed: () => void, endless: (error: TooLong) => void): typeof fetchBounded {
  const reader = new MessageReader()

  /** Splits a body into events: lines of fields, ended by an empty line (html.spec.whatwg.org, 9.2.5). */
  async function* eventsOf(body: AsyncIterable<Uint8Array>, id?: RequestId): AsyncIterable<Uint8Array> {
    const linesIn = createLineSplitter()
    const mayRead = createMessagePace(slowed)
    let fields: string[] = []
    let data: string[] = []
    let size = 0
    let isCut = false
    try {
      for await (const piece of body)
        for (const line of linesIn(piece)) {
          const text = line.text.replace(/\r$/, '').replace(/^\uFEFF/, '')
          if (text.startsWith(':')) continue
          size += text.length
          isCut ||= line.isCut || size > MAX_MESSAGE_BYTES
          const isData = text.startsWith('data:')
          if (isData && (!isCut || data.length === 0)) data.push(text.slice(5).replace(/^ /, ''))
          else if (text !== '' && !isData && !isCut) fields.push(text)
          if (text !== '') continue
          const whole = data.join('\n')
          const isMessage = whole !== '' && !fields.some((field) => OTHER_EVENT.test(field))
          const messages = isMessage
            ? reader.read({ text: whole, isCut }, id).map((one) => JSON.stringify(one))
            : []
          // The SDK gets an event without a readable message too, for the event's ID.
          const all = isMessage && messages.length > 0 ? messages : [isMessage ? '' : data.join('\ndata: ')]
          yield Buffer.from(`${[...fields, `data: ${all.join('\n\ndata: ')}`].join('\n')}\n\n`)
          fields = []
          data = []
          size = 0
          isCut = false
          await mayRead()
        }
    } catch (error) {
      if (error instanceof TooLong) endless(error)
      throw error
    }
  }

  return async (url, init) => {
    const body = init?.method === 'POST' ? init.body : undefined
    const id = typeof body === 'string' ? reader.sent(JSON.parse(body)) : undefined
    const response = await fetch(url, init)
    if (!response.body) return response
    const type = response.headers.get('content-type') ?? ''
    if (/^text\/event-stream/i.test(type)) return withBody(response, eventsOf(response.body, id))
    if (!response.ok || id === undefined) return withBody(response, boundedPieces(response.body))
    const message = new BoundedMessage()
    for await (const piece of response.body) message.add(Buffer.from(piece))
    const whole = message.take()
    // Some servers declare their JSON as text.
    if (!/json/i.test(type) && !/^\s*[[{]/.test(whole.text)) return withBody(response, whole.text)
    const [only = '', ...more] = reader.read(whole, id, true).map((one) => JSON.stringify(one))
    const json = more.length === 0 ? only : `[${[only, ...more].join()}]`
    return withBody(response, json, 'application/json')
  }
}

const OTHER_EVENT = /^event:(?! ?(?:message)?$)/
