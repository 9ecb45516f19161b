import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import type { Json } from '../../../src/lib/json.ts'

/** Somebody's agent: the protocol's own client, over HTTP with a token. */
export interface HttpAgent extends AsyncDisposable {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  call(
    name: string,
    args?: object,
  ): Promise<{ readonly text: string; readonly isError: boolean; readonly data: Json | undefined }>
  /** All notifications so far. */
  readonly heard: readonly { readonly method: string; readonly params?: unknown }[]
  /** Resolves once a notification contains the text. */
  waitFor(text: string): Promise<void>
}

/** Joins an agent. `modern`: it speaks the revision of 2026-07-28, else the one before. */
export async function openHttpAgent(
  base: string,
  token: string,
  options: { readonly modern?: true } = {},
): Promise<HttpAgent> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', base), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  const mode: ClientOptions = options.modern ? { versionNegotiation: { mode: 'auto' } } : {}
  const client = new Client({ name: 'test', version: '1' }, mode)
  const heard: { method: string; params?: unknown }[] = []
  const waiting = new Set<() => void>()
  client.fallbackNotificationHandler = async ({ method, params }) => {
    heard.push({ method, params })
    for (const look of waiting) look()
  }
  await client.connect(transport)
  return {
    client,
    transport,
    heard,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: { ...args } })
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''))
      return {
        text: texts.join('\n'),
        isError: result.isError === true,
        data: result.structuredContent as Json | undefined,
      }
    },
    waitFor: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!heard.some((one) => JSON.stringify(one).includes(text))) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => await client.close(),
  }
}

/** How a client begins, as bytes. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}

/** A request as a program without a library sends it; a text is sent as it is. */
export const postMcp = (
  base: string,
  token: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
