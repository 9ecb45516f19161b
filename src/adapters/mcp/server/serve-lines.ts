import type { McpServerFactory } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createListenedStreams, isListen } from './listened.ts'
import { createLineTransport, type LinePipe, type MessageWatch } from './line-transport.ts'
import type { Agent } from './ports.ts'
import { createMcpServer } from './server.ts'

/** Streams of changes that one client may have open: each may name as many rooms as a message holds. */
const MAX_STREAMS = 8

/**
 * Serves an agent on a pipe of lines, in the protocol's revision that the client speaks first. Resolves when the input has
 * ended and what was asked is answered, or the client is gone. Never rejects.
 */
export async function serveLines(
  agent: Agent,
  pipe: LinePipe,
  { version, report }: { readonly version: string; readonly report: (error: Error) => void },
): Promise<void> {
  const transport = createLineTransport(pipe, watchStreams(agent, report))
  let isReading = false
  const factory: McpServerFactory = ({ era }) => {
    const created = createMcpServer(agent, { version, era })
    const read = (): void => {
      if (!isReading) agent.readMessages()
      isReading = true
    }
    // A property of the SDK, not an event; one of 2026-07-28 never says it.
    Object.assign(created.server, { oninitialized: read })
    return created
  }
  const handle = serveStdio(factory, {
    transport,
    onerror: report,
    maxSubscriptions: MAX_STREAMS,
  })
  await transport.ended
  await handle.close()
}

/** Follows the rooms of a stream of changes from its request until that is cancelled or answered, which ends it. */
function watchStreams(agent: Agent, report: (error: Error) => void): MessageWatch {
  const listened = createListenedStreams(agent, { maxStreams: MAX_STREAMS, report })
  const open = new Map<unknown, () => void>()
  const end = (id: unknown): void => {
    open.get(id)?.()
    open.delete(id)
  }
  return {
    taken(message) {
      if ('method' in message && message.method === 'notifications/cancelled')
        end(message.params?.['requestId'])
      if (!isListen(message)) return undefined
      const { id } = message
      const stream = listened.open(message)
      if (!stream) return undefined
      open.set(id, stream.end)
      return stream.ready.then((why) => {
        if (open.get(id) !== stream.end) return 'cancelled'
        if (why === undefined) return 'wanted'
        end(id)
        return { why }
      })
    },
    sent(message) {
      if (!('method' in message)) end(message.id)
    },
  }
}
