import { ResourceNotFoundError, type McpServer } from '@modelcontextprotocol/server'
import type { Notifications } from './notifications.ts'
import type { Agent } from './ports.ts'
import { neededRoom } from './resources.ts'
import { logUri, roomUri } from './room-uri.ts'

/** `resources/subscribe` and `logging/setLevel`, for clients that speak a revision before 2026-07-28. */
export function addSubscriptions({ server }: McpServer, agent: Agent, notifications: Notifications): void {
  const { subscribed, setLevel } = notifications

  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const why = await agent.follow(neededRoom(uri))
    if (why !== undefined) throw new ResourceNotFoundError(uri, why)
    subscribed.add(uri)
    return {}
  })
  // The SDK's own keeps levels by session, and sends what belongs to none whatever the level.
  server.setRequestHandler('logging/setLevel', ({ params: { level } }) => {
    setLevel(level)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    const room = neededRoom(uri)
    subscribed.delete(uri)
    if (!subscribed.has(roomUri(room)) && !subscribed.has(logUri(room))) agent.unfollow(room)
    return {}
  })
}
