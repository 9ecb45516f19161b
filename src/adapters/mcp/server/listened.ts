import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Agent } from './ports.ts'
import { roomOf } from './room-uri.ts'

/** What a client listens for. */
const listened = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
})

/** The rooms of one stream. */
export interface FollowedRooms {
  /** Resolves once the agent hears them; a stream that begins sooner tells its client nothing of what happens before. */
  readonly ready: Promise<unknown>
  /** The stream has ended. */
  letGo(): void
}

/** The rooms that an agent follows for its client's streams of changes. */
export interface ListenedRooms {
  /** Takes a message of the client. If it is one that opens a stream, the agent follows its rooms. Never throws. */
  follow(message: JSONRPCMessage): FollowedRooms | undefined
}

/**
 * Since 2026-07-28 a client asks for changes with `subscriptions/listen`, which the SDK serves without telling the server: it
 * then lets through what the client asked for, and the agent must follow those rooms.
 */
export function createListenedRooms(
  agent: Pick<Agent, 'follow' | 'unfollow'>,
  report: (error: Error) => void,
): ListenedRooms {
  /** How many streams are open for each room. */
  const streams = new Map<string, number>()

  function drop(room: string): void {
    const left = (streams.get(room) ?? 0) - 1
    if (left > 0) return void streams.set(room, left)
    streams.delete(room)
    agent.unfollow(room)
  }

  async function follow(room: string): Promise<void> {
    streams.set(room, (streams.get(room) ?? 0) + 1)
    await agent.follow(room)
    // The stream may have ended meanwhile.
    if (!streams.has(room)) agent.unfollow(room)
  }

  return {
    follow(message) {
      const rooms = roomsIn(message)
      if (rooms.size === 0) return undefined
      const ready = Promise.all([...rooms].map((room) => follow(room).catch(report)))
      return {
        ready,
        letGo() {
          for (const room of rooms) drop(room)
          rooms.clear()
        },
      }
    },
  }
}

function roomsIn(message: JSONRPCMessage): Set<string> {
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return new Set()
  const uris = listened.safeParse(message.params).data?.notifications.resourceSubscriptions ?? []
  return new Set(uris.flatMap((uri) => roomOf(uri) ?? []))
}
