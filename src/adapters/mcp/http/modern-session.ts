import { randomUUID } from 'node:crypto'
import { createMcpHandler, parseJSONRPCMessage } from '@modelcontextprotocol/server'
import type { Person } from '../../../chat/people/person.ts'
import type { Json } from '../../../lib/json.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import { createListenedRooms } from '../server/listened.ts'
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
  const listened = createListenedRooms(agent, report)
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
    signal: AbortSignal.any([agent.signal, over.signal]),
    async answer(request, body) {
      await follow(body, request.signal)
      return await handler.fetch(request, { parsedBody: body })
    },
    async close() {
      over.abort()
      await handler.close()
      await agent.close()
    },
  }

  /** What is no message is answered by the SDK. */
  async function follow(body: Json | undefined, answered: AbortSignal): Promise<void> {
    try {
      const followed = listened.follow(parseJSONRPCMessage(body))
      if (followed) whenAborted(answered, followed.letGo)
      await followed?.ready
    } catch (error) {
      report(error instanceof Error ? error : new Error('a message was not read', { cause: error }))
    }
  }
}
