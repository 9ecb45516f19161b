import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { StorageError } from '../../../chat/errors.ts'
import type { Agent } from './ports.ts'
import { roomOf } from './room-uri.ts'

/** What a client listens for. */
const listened = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
})

/** One stream of changes. */
export interface ListenedStream {
  /**
   * Resolves to why it cannot be, or once the agent hears its rooms: a stream that begins sooner tells its client nothing of
   * what happens before. Never rejects.
   */
  readonly ready: Promise<string | undefined>
  /** It has ended, or was refused. */
  end(): void
}

/** The streams of changes that an agent's client has open, and the rooms that the agent follows for them. */
export interface ListenedStreams {
  /** Takes a message of the client. If it is one that opens a stream, the agent follows its rooms. Never throws. */
  open(message: JSONRPCMessage): ListenedStream | undefined
}

/**
 * Since 2026-07-28 a client asks for changes with `subscriptions/listen`, which the SDK serves without telling the server: it
 * then lets through what the client asked for, and the agent must follow those rooms. At most `maxStreams` are open at once.
 */
export function createListenedStreams(
  agent: Pick<Agent, 'follow' | 'unfollow' | 'sees'>,
  { maxStreams, report }: { readonly maxStreams: number; readonly report: (error: Error) => void },
): ListenedStreams {
  const open = new Set<ReadonlySet<string>>()
  const isListenedTo = (room: string): boolean => [...open].some((rooms) => rooms.has(room))

  /** One after the other: each waits for its turn. */
  async function whyNotAll(rooms: ReadonlySet<string>): Promise<string | undefined> {
    for (const room of rooms) {
      const why = await whyNot(room)
      if (!open.has(rooms)) return STREAM_ENDED
      if (why !== undefined) return why
    }
    return undefined
  }

  /** A room that the person may not see is not refused, because that would tell it from one that is not there yet. */
  async function whyNot(room: string): Promise<string | undefined> {
    try {
      const why = await agent.follow(room)
      // The stream may have ended meanwhile.
      if (!isListenedTo(room)) agent.unfollow(room)
      return why !== undefined && (await agent.sees(room)) ? why : undefined
    } catch (error) {
      report(error instanceof Error ? error : new Error('a room was not followed', { cause: error }))
      return error instanceof StorageError ? error.message : NOT_FOLLOWED
    }
  }

  return {
    open(message) {
      if (!isListen(message)) return undefined
      if (open.size >= maxStreams) return { ready: Promise.resolve(tooMany(maxStreams)), end() {} }
      const rooms = roomsIn(message)
      if (rooms.size > MAX_NAMED) return { ready: Promise.resolve(TOO_MANY_NAMED), end() {} }
      open.add(rooms)
      return {
        ready: whyNotAll(rooms),
        end() {
          if (!open.delete(rooms)) return
          for (const room of rooms) if (!isListenedTo(room)) agent.unfollow(room)
        },
      }
    },
  }
}

/** Rooms that one stream may name: twice as many as an agent follows, since those that its person may not see are no trouble. */
const MAX_NAMED = 64

const TOO_MANY_NAMED = `a stream of changes is for ${MAX_NAMED} rooms at most; name fewer`

const tooMany = (maxStreams: number): string =>
  `${maxStreams} streams of changes are open already; end one of them`

const NOT_FOLLOWED = 'the rooms could not be looked up; try it again'

/** Nobody reads it any more. */
const STREAM_ENDED = 'the stream has ended'

/** Whether a message is to open a stream. */
export const isListen = (message: JSONRPCMessage): message is JSONRPCRequest =>
  isJSONRPCRequest(message) && message.method === 'subscriptions/listen'

function roomsIn({ params }: JSONRPCRequest): ReadonlySet<string> {
  const uris = listened.safeParse(params).data?.notifications.resourceSubscriptions ?? []
  return new Set(uris.flatMap((uri) => roomOf(uri) ?? []))
}
