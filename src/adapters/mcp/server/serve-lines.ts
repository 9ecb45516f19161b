import { isJSONRPCRequest, type JSONRPCMessage, type McpServerFactory } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { createLineTransport, type LinePipe } from './line-transport.ts'
import type { Agent } from './ports.ts'
import { roomOf } from './room-uri.ts'
import { createMcpServer } from './server.ts'

/** What the SDK reports besides its answers. */
type Report = (error: Error) => void

/**
 * Serves an agent on a pipe of lines, in the protocol's revision that the client speaks first. Resolves when the input has
 * ended and what was asked is answered, or the client is gone. Never rejects.
 */
export async function serveLines(
  agent: Agent,
  pipe: LinePipe,
  { version, report }: { readonly version: string; readonly report: Report },
): Promise<void> {
  const transport = createLineTransport(pipe, (message) => followListened(agent, message, report))
  const factory: McpServerFactory = ({ era }) => createMcpServer(agent, { version, era })
  const handle = serveStdio(factory, { transport, onerror: report })
  await transport.ended
  await handle.close()
}

/** What a client listens for. */
const listened = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
})

/**
 * Since 2026-07-28 a client asks for changes with `subscriptions/listen`, which the SDK serves without telling the server: it
 * then lets through what the client asked for, and the agent must follow those rooms.
 */
function followListened(agent: Agent, message: JSONRPCMessage, report: Report): void {
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return
  for (const uri of listened.safeParse(message.params).data?.notifications.resourceSubscriptions ?? []) {
    const room = roomOf(uri)
    if (room !== undefined) agent.follow(room).catch(report)
  }
}
