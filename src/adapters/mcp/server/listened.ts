import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Agent } from './ports.ts'
import { roomOf } from './room-uri.ts'

/** What a client listens for. */
const listened = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
})

/**
 * Since 2026-07-28 a client asks for changes with `subscriptions/listen`, which the SDK serves without telling the server: it
 * then lets through what the client asked for, and the agent must follow those rooms.
 */
export function followListened(agent: Agent, message: JSONRPCMessage, report: (error: Error) => void): void {
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return
  for (const uri of listened.safeParse(message.params).data?.notifications.resourceSubscriptions ?? []) {
    const room = roomOf(uri)
    if (room !== undefined) agent.follow(room).catch(report)
  }
}
