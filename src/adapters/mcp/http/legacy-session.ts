import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Person } from '../../../chat/people/person.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import type { McpHttpParts } from './ports.ts'
import type { HttpSession } from './sessions.ts'

/** A session of a client in a revision before 2026-07-28: it lasts from `initialize` to `DELETE`. */
export async function openSession(
  person: Person,
  { openAgent, createMcpServer, version, report }: McpHttpParts,
): Promise<HttpSession> {
  const id = randomUUID()
  const agent = await openAgent(person)
  const over = new AbortController()
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: () => over.abort(),
  })
  Object.assign(transport, { onerror: report })
  await createMcpServer(agent, { version, era: 'legacy' }).connect(transport)
  return {
    id,
    person,
    signal: AbortSignal.any([agent.signal, over.signal]),
    async answer(request, body) {
      const response = await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body })
      // Without this stream nobody would hear it, and it is told once.
      if (request.method === 'GET' && response.ok) whenAborted(request.signal, agent.readMessages())
      return response
    },
    async close() {
      over.abort()
      await transport.close()
      await agent.close()
    },
  }
}
