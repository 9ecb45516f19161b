import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createWaiting } from '../waiting.ts'
import { createAgentClient } from './agent-client.ts'

/** Joins an agent. `modern`: it speaks the revision of 2026-07-28, else the one before. */
export async function openHttpAgent(base: string, token: string, options: { readonly modern?: true } = {}) {
  const { changed, until } = createWaiting()
  let accepted = ''
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', base), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      accepted += typeof init?.body === 'string' ? init.body : ''
      changed()
      return response
    },
  })
  const agent = createAgentClient(options)
  await agent.client.connect(transport)
  /** Waits until the server has begun to answer a request with this text: it may be far from its end. */
  const accepts = (text: string) => until(() => accepted.includes(text))
  return Object.assign(agent, { transport, accepts })
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
