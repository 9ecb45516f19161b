import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Person } from '../../../chat/people/person.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import type { McpHttpParts } from './ports.ts'
import { createRecentEvents, isForAll } from './recent-events.ts'
import type { HttpSession } from './sessions.ts'

/** How long a client whose stream broke waits before it comes back, in ms. */
const RETRY_MS = 1_000

/** A session of a client in a revision before 2026-07-28: it lasts from `initialize` to `DELETE`. */
export async function openSession(
  person: Person,
  { openAgent, createMcpServer, version, report, limits }: McpHttpParts,
): Promise<HttpSession> {
  const id = randomUUID()
  const agent = await openAgent(person)
  const over = new AbortController()
  const events = createRecentEvents(limits.queue_bytes, agent)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: () => over.abort(),
    eventStore: events,
    retryInterval: RETRY_MS,
  })
  Object.assign(transport, { onerror: report })
  await createMcpServer(agent, { version, era: 'legacy' }).connect(transport)
  return {
    id,
    person,
    signal: AbortSignal.any([agent.signal, over.signal]),
    async answer(request, body) {
      events.asked(body)
      const response = await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body })
      // Without this stream nobody would hear it, and it is told once.
      if (request.method === 'GET' && response.ok && isForAll(request.headers.get('last-event-id')))
        whenAborted(request.signal, agent.readMessages())
      return response
    },
    async close() {
      over.abort()
      await transport.close()
      await agent.close()
    },
  }
}
