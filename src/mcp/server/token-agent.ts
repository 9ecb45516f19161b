import {
  createMcpHandler,
  isJSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import { whenAborted } from '../../base/jobs/waiting.ts'
import { FollowedRooms } from './followed-rooms.ts'
import { Mentions } from './mentions.ts'
import { REFUSED } from './message.ts'
import { Notifications } from './notifications.ts'
import type { Agent, ClosableAgent } from './agent.ts'
import type { AgentListener } from '../../chat/index.ts'
import type { CreateMcpServer } from './server.ts'

export interface TokenAgentOptions {
  readonly createMcpServer: CreateMcpServer
  readonly version: string
  /** Receives errors that the SDK reports besides its answers. */
  readonly report: (error: Error) => void
}

/** A client that connects. `end` removes the client, which aborts `signal`. */
interface ConnectingClient {
  readonly id: string
  readonly signal: AbortSignal
  /** Aborted when the server is about to stop. */
  readonly draining: AbortSignal
  readonly end: () => void
}

export interface Connection {
  answer(request: Request, body: JsonObject | undefined): Promise<Response>
  close(): Promise<void>
}

interface Share {
  readonly end: () => void
  listener: AgentListener | undefined
  /** Open `GET` streams: a direct message goes to clients that have one. */
  streams: number
}

const MAX_STREAMS = 16

/** All clients of a token share this agent and the rooms that it is in. */
export class TokenAgent {
  /** Clients that share this agent. Its owner closes it after the last client. */
  clients = 0
  readonly #opened: Promise<{ readonly agent: ClosableAgent; readonly rooms: FollowedRooms }>
  readonly #options: TokenAgentOptions
  readonly #shares = new Set<Share>()
  #streams = 0
  #stopMessages = (): void => {}

  constructor(agent: Promise<ClosableAgent>, options: TokenAgentOptions) {
    const { report } = options
    this.#opened = agent.then((opened) => {
      opened.listen(this.#listener())
      // Registered once for all clients, which come and go.
      whenAborted(opened.signal, () => this.#shares.forEach(({ end }) => end()))
      return { agent: opened, rooms: new FollowedRooms(opened, { maxStreams: MAX_STREAMS, report }) }
    })
    this.#options = options
  }

  /** For a revision before 2026-07-28: the session lasts from `initialize` to `DELETE`. */
  async openSession({ id, end, signal, draining }: ConnectingClient): Promise<Connection> {
    const { createMcpServer, version, report } = this.#options
    const { agent, leave } = await this.#share(end)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: end,
    })
    Object.assign(transport, { onerror: report })
    const mentions = new Mentions(agent, AbortSignal.any([signal, draining]))
    await createMcpServer(agent, { version, era: 'legacy', mentions }).connect(transport)
    return {
      async answer(request, body) {
        // A client that lost its connection may return before this server has noticed.
        if (request.method === 'GET') transport.closeStandaloneSSEStream()
        const response = await transport.handleRequest(
          request,
          body === undefined ? {} : { parsedBody: body },
        )
        // Without a stream a direct message would be lost, because it is sent only once.
        if (request.method === 'GET' && response.ok) whenAborted(request.signal, agent.readMessages())
        return response
      },
      async close() {
        leave()
        await transport.close()
      },
    }
  }

  /** Connects all clients of 2026-07-28, whose requests have no session. */
  async openModern({ signal, draining, end }: ConnectingClient): Promise<Connection> {
    const { createMcpServer, version, report } = this.#options
    const { agent, rooms, leave } = await this.#share(end)
    const mentions = new Mentions(agent, AbortSignal.any([signal, draining]))
    // Each request has its own server, which must not replace the listener.
    const silent = { ...agent, listen: () => {} }
    const handler = createMcpHandler(() => createMcpServer(silent, { version, era: 'modern', mentions }), {
      legacy: 'reject',
      maxSubscriptions: MAX_STREAMS,
      onerror: report,
    })
    const server = {
      sendResourceUpdated: async ({ uri }: { readonly uri: string }) => handler.notify.resourceUpdated(uri),
      sendLoggingMessage: async () => {},
    }
    agent.listen(new Notifications(server, 'modern', mentions))
    return {
      async answer(request, body) {
        const asked = isJSONRPCRequest(body) ? body : undefined
        const stream = asked && rooms.listen(asked)
        if (stream) whenAborted(request.signal, stream.end)
        const why = await stream?.ready
        const id = asked?.id ?? null
        if (signal.aborted) return failed(503, 'this connection of your token is over; ask again', { id })
        if (why === undefined) return await handler.fetch(request, { parsedBody: body })
        stream?.end()
        return failed(200, why, { id })
      },
      async close() {
        leave()
        await handler.close()
      },
    }
  }

  async close(): Promise<void> {
    // The client was told why the agent did not open.
    const opened = await this.#opened.catch(() => undefined)
    await opened?.agent.close()
  }

  /** Adds a client. The agent follows rooms and reads messages as long as one client wants it. */
  async #share(end: () => void) {
    const { agent, rooms } = await this.#opened
    if (agent.signal.aborted) end()
    const share: Share = { end, listener: undefined, streams: 0 }
    this.#shares.add(share)
    const shared: Agent = {
      ...agent,
      listen: (listener) => void (share.listener = listener),
      follow: (room) => rooms.follow(room, share),
      unfollow: (room) => rooms.unfollow(room, share),
      readMessages: () => {
        share.streams += 1
        if (this.#streams++ === 0) this.#stopMessages = agent.readMessages()
        return () => {
          share.streams -= 1
          if (--this.#streams === 0) this.#stopMessages()
        }
      },
    }
    const leave = (): void => {
      this.#shares.delete(share)
      rooms.unfollowAll(share)
    }
    return { agent: shared, rooms, leave }
  }

  #listener(): AgentListener {
    const tellAll = (tell: (listener: AgentListener) => void, minStreams = 0): void => {
      for (const { listener, streams } of this.#shares) if (listener && streams >= minStreams) tell(listener)
    }
    return {
      heard: (entry) => tellAll((listener) => listener.heard(entry)),
      changed: (entry) => tellAll((listener) => listener.changed(entry)),
      putOut: (room, out) => tellAll((listener) => listener.putOut(room, out)),
      written: (message, onRead) => tellAll((listener) => listener.written(message, onRead), 1),
    }
  }
}

/** Returns an error of JSON-RPC as the HTTP answer to the request `id`. */
export const failed = (
  status: number,
  message: string,
  { id = null, code = REFUSED }: { readonly id?: string | number | null; readonly code?: number } = {},
): Response => Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status })
