import { randomUUID } from 'node:crypto'
import { createMcpHandler, parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Person } from '../../../chat/people/person.ts'
import type { Json } from '../../../lib/json.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import { REFUSED } from '../server/error-codes.ts'
import { createListenedStreams } from '../server/listened.ts'
import { createNotifications } from '../server/notifications.ts'
import type { McpHttpParts } from './ports.ts'
import type { HttpSession } from './sessions.ts'

/** Streams of changes that one token may have open. */
const MAX_STREAMS = 16

/** What all requests of a token share since 2026-07-28: an agent, which hears for all streams of changes. */
export async function openModern(
  person: Person,
  { openAgent, createMcpServer, version, report }: McpHttpParts,
): Promise<HttpSession> {
  const agent = await openAgent(person)
  const over = new AbortController()
  const listened = createListenedStreams(agent, { maxStreams: MAX_STREAMS, report })
  const signal = AbortSignal.any([agent.signal, over.signal])
  // Each request has a server of its own, and none of them hears.
  const silent = { ...agent, listen: () => {} }
  const handler = createMcpHandler(() => createMcpServer(silent, { version, era: 'modern' }), {
    legacy: 'reject',
    maxSubscriptions: MAX_STREAMS,
    onerror: report,
  })
  agent.listen(
    createNotifications(
      {
        server: {
          sendResourceUpdated: async ({ uri }) => handler.notify.resourceUpdated(uri),
          sendLoggingMessage: async () => {},
        },
      },
      'modern',
    ),
  )
  return {
    id: randomUUID(),
    person,
    signal,
    async answer(request, body) {
      const message = messageOf(body)
      const stream = message && listened.open(message)
      if (stream) whenAborted(request.signal, stream.end)
      const why = await stream?.ready
      if (signal.aborted) return refused(message, 'this connection of your token is over; ask again', 503)
      if (why === undefined) return await handler.fetch(request, { parsedBody: body })
      stream?.end()
      return refused(message, why)
    },
    async close() {
      over.abort()
      await handler.close()
      await agent.close()
    },
  }

  /** What is no message is answered by the SDK. */
  function messageOf(body: Json | undefined): JSONRPCMessage | undefined {
    try {
      return parseJSONRPCMessage(body)
    } catch (error) {
      report(error instanceof Error ? error : new Error('a message was not read', { cause: error }))
      return undefined
    }
  }
}

/** The answer to a request that is not served, as the SDK has those of its own. */
const refused = (message: JSONRPCMessage | undefined, why: string, status = 200): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: message && 'id' in message ? message.id : null,
      error: { code: REFUSED, message: why },
    },
    { status },
  )
