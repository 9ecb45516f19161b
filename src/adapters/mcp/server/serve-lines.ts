import type { McpServerFactory } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { followListened } from './listened.ts'
import { createLineTransport, type LinePipe } from './line-transport.ts'
import type { Agent } from './ports.ts'
import { createMcpServer } from './server.ts'

/** `subscriptions/listen` that one client may have open: each may name as many rooms as a message holds. */
const MAX_SUBSCRIPTIONS = 8

/**
 * Serves an agent on a pipe of lines, in the protocol's revision that the client speaks first. Resolves when the input has
 * ended and what was asked is answered, or the client is gone. Never rejects.
 */
export async function serveLines(
  agent: Agent,
  pipe: LinePipe,
  { version, report }: { readonly version: string; readonly report: (error: Error) => void },
): Promise<void> {
  const transport = createLineTransport(pipe, (message) => followListened(agent, message, report))
  const factory: McpServerFactory = ({ era }) => createMcpServer(agent, { version, era })
  const handle = serveStdio(factory, {
    transport,
    onerror: report,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  })
  await transport.ended
  await handle.close()
}
