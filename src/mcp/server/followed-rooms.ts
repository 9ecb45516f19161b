import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { StorageError } from '../../words/errors.ts'
import type { Agent } from './agent.ts'
import { roomOf } from './room-uri.ts'

/** One `subscriptions/listen` of a client. */
export interface ListenedStream {
  /**
   * Resolves once the agent follows the rooms, or to the reason of a refusal. Never rejects. A stream that
   * begins earlier misses changes.
   */
  readonly ready: Promise<string | undefined>
  /** Ends a stream, even a refused one. */
  end(): void
}

/** Limit of rooms in one stream: twice what an agent follows, because hidden rooms are not followed. */
const MAX_NAMED = 64

/**
 * Counts each room's followers: subscribed clients, and streams of changes, which the SDK itself serves. The
 * agent unfollows a room without followers.
 */
export class FollowedRooms {
  readonly #agent: Pick<Agent, 'follow' | 'unfollow' | 'sees'>
  readonly #maxStreams: number
  readonly #report: (error: Error) => void
  readonly #followers = new Map<string, Set<object>>()
  readonly #streams = new Set<object>()

  /** `maxStreams` limits the open streams. `report` gets their errors. */
  constructor(
    agent: Pick<Agent, 'follow' | 'unfollow' | 'sees'>,
    { maxStreams, report }: { readonly maxStreams: number; readonly report: (error: Error) => void },
  ) {
    this.#agent = agent
    this.#maxStreams = maxStreams
    this.#report = report
  }

  /** Resolves to the reason if the room is not followed. Rejects with `StorageError`. */
  async follow(room: string, follower: object): Promise<string | undefined> {
    const followers = this.#followers.get(room) ?? new Set()
    // Counted before the agent answers, so that another follower's `unfollow` keeps the room.
    this.#followers.set(room, followers.add(follower))
    let isFollowed = false
    try {
      const why = await this.#agent.follow(room)
      isFollowed = why === undefined && this.#followers.get(room)?.has(follower) === true
      return why
    } finally {
      if (!isFollowed) this.unfollow(room, follower)
    }
  }

  unfollow(room: string, follower: object): void {
    const followers = this.#followers.get(room)
    followers?.delete(follower)
    if (followers && followers.size > 0) return
    this.#followers.delete(room)
    this.#agent.unfollow(room)
  }

  unfollowAll(follower: object): void {
    for (const [room, followers] of this.#followers)
      if (followers.has(follower)) this.unfollow(room, follower)
  }

  /** Follows the rooms of a `subscriptions/listen`; undefined for any other message. */
  listen(message: JSONRPCMessage): ListenedStream | undefined {
    if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return undefined
    const rooms = requestedRooms(message)
    const isFull = this.#streams.size >= this.#maxStreams
    if (isFull || rooms.size > MAX_NAMED) {
      const why = isFull
        ? `${this.#maxStreams} streams of changes are open already; end one of them`
        : `a stream of changes is for ${MAX_NAMED} rooms at most; name fewer`
      return { ready: Promise.resolve(why), end() {} }
    }
    const stream = {}
    this.#streams.add(stream)
    return {
      ready: this.#followFor(stream, rooms),
      end: () => {
        this.#streams.delete(stream)
        this.unfollowAll(stream)
      },
    }
  }

  async #followFor(stream: object, rooms: ReadonlySet<string>): Promise<string | undefined> {
    try {
      for (const room of rooms) {
        const why = await this.follow(room, stream)
        if (!this.#streams.has(stream)) return 'the stream has ended'
        // Treats a hidden room like a missing room: neither is refused.
        if (why !== undefined && (await this.#agent.sees(room))) return why
      }
      return undefined
    } catch (error) {
      this.#report(error instanceof Error ? error : new Error(String(error)))
      return error instanceof StorageError ? error.message : 'the rooms could not be looked up; try it again'
    }
  }
}

const listened = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
})

function requestedRooms({ params }: JSONRPCRequest): ReadonlySet<string> {
  const uris = listened.safeParse(params).data?.notifications.resourceSubscriptions ?? []
  return new Set(uris.flatMap((uri) => roomOf(uri) ?? []))
}
