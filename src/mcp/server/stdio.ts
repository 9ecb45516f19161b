import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServerFactory,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createDeferred, untilAborted, whenAborted } from '../../base/jobs/waiting.ts'
import { FollowedRooms, type ListenedStream } from './followed-rooms.ts'
import { Mentions } from './mentions.ts'
import { safeJson } from '../../base/json.ts'
import { restoreLargeIds } from './large-ids.ts'
import { linesOf, MessageError, parseLine, REFUSED, type Line } from './message.ts'
import type { Agent } from './agent.ts'
import { createMcpServer } from './server.ts'

export interface AgentPipe {
  /** The client's input, until end of file or until the client is gone. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Queues text. Resolves when there is space for more; never rejects. */
  out(text: string): Promise<void>
  /** Runs work for this client when its turn comes. Rejects if the work throws. */
  work(piece: () => void): Promise<void>
  /** Aborted before the server stops: no further call begins, and the last answer ends the connection. */
  readonly draining: AbortSignal
}

const MAX_CALLS = 32

/** Limit of one client's streams of changes. */
const MAX_STREAMS = 8

/**
 * Serves an agent, one JSON-RPC message per line, in the MCP revision of the client's first message.
 * `version` is sshawl's; `report` gets errors that are not sent to the client. Resolves once the input has
 * ended and all calls are answered, or the client is gone. Never rejects.
 */
export async function serveAgentOverPipe(
  agent: Agent,
  pipe: AgentPipe,
  { version, report }: { readonly version: string; readonly report: (error: Error) => void },
): Promise<void> {
  const transport = new PipeTransport(agent, pipe, report)
  const mentions = new Mentions(agent, pipe.draining)
  const factory: McpServerFactory = ({ era }) => {
    const created = createMcpServer(agent, { version, era, mentions, hasChannel: era === 'legacy' })
    // A property of the SDK, not an event. A client of 2026-07-28 never triggers it.
    Object.assign(created.server, { oninitialized: () => mentions.readMessages() })
    return created
  }
  const handle = serveStdio(factory, { transport, onerror: report, maxSubscriptions: MAX_STREAMS })
  await transport.closed.promise
  await handle.close()
}

/** The SDK's own transport ends at a message that is too long, and answers nothing after the input's end. */
class PipeTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  readonly #pipe: AgentPipe
  readonly #report: (error: Error) => void
  readonly #rooms: FollowedRooms
  readonly #calls = new Set<unknown>()
  /** Streams by the IDs of their requests. */
  readonly #streams = new Map<unknown, ListenedStream>()
  readonly #stop = new AbortController()
  readonly closed = createDeferred<void>()
  #isClosed = false
  #whenAnswered: (() => void)[] = []
  #written: Promise<void> = Promise.resolve()

  constructor(agent: Agent, pipe: AgentPipe, report: (error: Error) => void) {
    this.#pipe = pipe
    this.#report = report
    this.#rooms = new FollowedRooms(agent, { maxStreams: MAX_STREAMS, report })
    whenAborted(agent.signal, () => void this.close())
    whenAborted(pipe.draining, () => void this.#allAnswered().then(() => this.#stop.abort()))
  }

  async start(): Promise<void> {
    void this.#readAll()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // A line of a full room goes to hundreds of agents: each client pays for its own copy.
    await this.#pipe.work(() => {
      if (this.#isClosed) throw new Error('the client is gone')
      if (!('method' in message)) this.#settle(message.id)
      this.#write(message)
    })
    await this.#written
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stop.abort()
    this.#calls.clear()
    this.#settle(undefined)
    this.onclose?.()
    this.closed.resolve()
  }

  async #readAll(): Promise<void> {
    try {
      for await (const line of linesOf(untilAborted(this.#pipe.stdin, this.#stop.signal))) {
        await this.#pipe.work(() => this.#take(line))
        // Stops reading from a client that does not read.
        await this.#written
      }
      await this.#allAnswered()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#report(error instanceof Error ? error : new Error(String(error)))
    }
    await this.#written
    await this.close()
  }

  #take(line: Line): void {
    try {
      const message = parseLine(line)
      if (!message) return
      if (isJSONRPCRequest(message)) this.#begin(message)
      // A cancelled request is not answered.
      else if ('method' in message && message.method === 'notifications/cancelled')
        this.#settle(message.params?.['requestId'])
      const stream = isJSONRPCRequest(message) && this.#rooms.listen(message)
      if (stream) void this.#listen(message, stream)
      else this.onmessage?.(message)
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      this.#refuse(error)
    }
  }

  #begin({ id, method }: JSONRPCRequest): void {
    if (this.#calls.has(id) || this.#streams.has(id)) throw new MessageError(SAME_ID, id)
    if (this.#pipe.draining.aborted && method !== 'ping') throw new MessageError(STOPPING, id, REFUSED)
    if (this.#calls.size >= MAX_CALLS) throw new MessageError(TOO_MANY_CALLS, id)
    if (method !== 'subscriptions/listen') this.#calls.add(id)
  }

  async #listen(request: JSONRPCRequest, stream: ListenedStream): Promise<void> {
    const { id } = request
    this.#streams.set(id, stream)
    const why = await stream.ready
    if (this.#isClosed || this.#streams.get(id) !== stream) return
    if (why === undefined) return this.onmessage?.(request)
    this.#settle(id)
    this.#refuse(new MessageError(why, id, REFUSED))
  }

  #settle(id: unknown): void {
    this.#calls.delete(id)
    this.#streams.get(id)?.end()
    this.#streams.delete(id)
    if (this.#calls.size === 0) for (const resolve of this.#whenAnswered.splice(0)) resolve()
  }

  async #allAnswered(): Promise<void> {
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#whenAnswered.push(resolve))
  }

  #refuse({ id, code, message }: MessageError): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  #write(message: object): void {
    this.#written = this.#pipe.out(`${restoreLargeIds(safeJson(message))}\n`)
  }
}

const SAME_ID = 'a request with this id waits for its answer; give each its own'
const STOPPING = 'the server is stopping; ask again when it is back'
const TOO_MANY_CALLS = `${MAX_CALLS} requests wait for their answers already; wait for one of them`
