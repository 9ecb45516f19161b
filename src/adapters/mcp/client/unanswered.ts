import type { Transport } from '@modelcontextprotocol/client'

/** What a tool is asked for: the answer may take as long as the call, and nobody else would notice that it never comes. */
const WAITED_FOR: ReadonlySet<string> = new Set(['tools/call', 'tools/list'])

/** Of JSON-RPC: an error of whoever answers. */
const SERVER_ERROR = -32_000

/**
 * A transport that fails a request whose own stream ended before the answer came, as over HTTP where the server died or was cut
 * off. The SDK goes on waiting then. One that the server lets us resume is resumed first.
 */
export function failingUnanswered<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport)
  return Object.assign(transport, {
    send: ((message, options) => {
      if (!('method' in message && 'id' in message && WAITED_FOR.has(message.method)))
        return send(message, options)
      const { id } = message
      const error = { code: SERVER_ERROR, message: 'its answer broke off before it was whole' }
      // The SDK passes over an answer to what is answered or was cancelled.
      const onRequestStreamEnd = (): void => transport.onmessage?.({ jsonrpc: '2.0', id, error })
      return send(message, { ...options, onRequestStreamEnd })
    }) satisfies Transport['send'],
  })
}
