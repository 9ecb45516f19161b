import { randomUUID } from 'node:crypto'
import {
  isJSONRPCRequest,
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServerFactory,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createDeferred } from '../../../lib/deferred.ts'
import { untilAborted } from '../../../lib/jobs/until-aborted.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import { FollowedRooms, type ListenedStream } from './followed-rooms.ts'
import { idOf, INVALID_REQUEST, MessageError, readMessage, REFUSED } from './message.ts'
import type { Agent } from './ports.ts'
import { createMcpServer } from './server.ts'

/** The connection of an agent's client. */
export interface AgentPipe {
  /** What the client sends, until its end of file or until it is gone. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Queues text at once. Resolves when there is space for more; never rejects. */
  out(text: string): Promise<void>
  /** Runs a piece of work for this client once it is its turn. Rejects as the work throws. */
  work(piece: () => void): Promise<void>
  /** Aborted when the server is going to stop: no call begins then, and the connection ends once all are answered. */
  readonly draining: AbortSignal
}

interface PipeOptions {
  /** Of sshawl. */
  readonly version: string
  /** Receives what the SDK reports besides its answers. */
  readonly report: (error: Error) => void
}

/** Bytes of one message. */
const MAX_BYTES = 1_048_576

/** Calls that one client may have at once. */
const MAX_CALLS = 32

/** Streams of changes that one client may have open: each may name as many rooms as a message has space for. */
const MAX_STREAMS = 8

/**
 * Serves an agent over a pipe with a message on each line, in the protocol's revision that the client speaks
 * first. Resolves when the input has ended and all calls are answered, or the client is gone. Never rejects.
 */
export async function serveAgentOverPipe(agent: Agent, pipe: AgentPipe, options: PipeOptions): Promise<void> {
  const { version, report } = options
  const transport = new PipeTransport(agent, pipe, report)
  let stopMessages: (() => void) | undefined
  const factory: McpServerFactory = ({ era }) => {
    const created = createMcpServer(agent, { version, era })
    // A property of the SDK, not an event; one of 2026-07-28 never says it.
    Object.assign(created.server, { oninitialized: () => (stopMessages ??= agent.readMessages()) })
    return created
  }
  const handle = serveStdio(factory, { transport, onerror: report, maxSubscriptions: MAX_STREAMS })
  await transport.closed
  await handle.close()
}

/**
 * A transport for the SDK. The SDK's own one ends with a message that is too long, answers nothing after the end
 * of the input, and takes no id beyond 2^53.
 */
class PipeTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  readonly #pipe: AgentPipe
  readonly #report: (error: Error) => void
  readonly #rooms: FollowedRooms
  /** Ids of calls that wait for their answers. */
  readonly #calls = new Set<unknown>()
  /** Open streams of changes by the ids of their requests. They last as long as the client listens. */
  readonly #streams = new Map<unknown, ListenedStream>()
  /** Aborted to read no more. */
  readonly #stop = new AbortController()
  readonly #closed = createDeferred<void>()
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

  /** Resolves once the transport is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  async start(): Promise<void> {
    void this.#readAll()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // A line of a full room goes to hundreds of agents: each pays for its own.
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
    this.#closed.resolve()
  }

  async #readAll(): Promise<void> {
    try {
      for await (const line of linesOf(untilAborted(this.#pipe.stdin, this.#stop.signal))) {
        await this.#pipe.work(() => this.#take(line))
        // A client that does not read is not read.
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
      // What is cancelled is not answered.
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

  /** Counts a request. Throws `MessageError`. */
  #begin({ id, method }: JSONRPCRequest): void {
    if (this.#calls.has(id) || this.#streams.has(id)) throw new MessageError(INVALID_REQUEST, SAME_ID, id)
    if (this.#pipe.draining.aborted && method !== 'ping') throw new MessageError(REFUSED, STOPPING, id)
    if (this.#calls.size >= MAX_CALLS) throw new MessageError(INVALID_REQUEST, TOO_MANY_CALLS, id)
    if (method !== 'subscriptions/listen') this.#calls.add(id)
  }

  /** Passes the request on once the agent follows the rooms that it names. */
  async #listen(request: JSONRPCRequest, stream: ListenedStream): Promise<void> {
    const { id } = request
    this.#streams.set(id, stream)
    const why = await stream.ready
    if (this.#isClosed || this.#streams.get(id) !== stream) return
    if (why === undefined) return this.onmessage?.(request)
    this.#settle(id)
    this.#refuse(new MessageError(REFUSED, why, id))
  }

  /** A call or a stream has ended. */
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
    this.#written = this.#pipe.out(`${safeJson(message).replaceAll(TAGGED_ID, '$1')}\n`)
  }
}

const SAME_ID = 'a request with this id waits for its answer; give each its own'
const STOPPING = 'the server is stopping; ask again when it is back'
const TOO_MANY_CALLS = `${MAX_CALLS} requests wait for their answers already; wait for one of them`
const TOO_LONG = `a message has at most ${MAX_BYTES} bytes, on a line of its own; send less at once`

interface Line {
  readonly bytes: Uint8Array
  /** The line is longer than `MAX_BYTES`: these are its first and last bytes. */
  readonly isCut: boolean
}

/** Bytes kept of each end of a line that is too long: clients write the id first or last. */
const CUT_BYTES = 256

const LF = 10

/** The lines of an input, without their ends. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let size = 0
  function add(part: Uint8Array): void {
    parts.push(part)
    size += part.length
    if (size <= MAX_BYTES) return
    const all = Buffer.concat(parts)
    parts = [all.subarray(0, CUT_BYTES), all.subarray(CUT_BYTES).subarray(-CUT_BYTES)].map((end) =>
      Buffer.from(end),
    )
  }
  function end(): Line {
    const line = { bytes: Buffer.concat(parts), isCut: size > MAX_BYTES }
    parts = []
    size = 0
    return line
  }
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      yield end()
    }
    add(chunk.subarray(from))
  }
  yield end()
}

/** The id at the beginning or the end of a request. */
const FIRST_ID = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(?<id>-?\d+|"[^"\\]*")\s*,/
const LAST_ID = /,\s*"id"\s*:\s*(?<id>-?\d+|"[^"\\]*")\s*\}\s*$/

/** Reads a line; undefined if it is blank. Throws `MessageError`. */
function parseLine({ bytes, isCut }: Line): JSONRPCMessage | undefined {
  const text = new TextDecoder().decode(bytes)
  if (isCut) {
    const id = (FIRST_ID.exec(text) ?? LAST_ID.exec(text))?.groups?.['id'] ?? 'null'
    throw new MessageError(INVALID_REQUEST, TOO_LONG, /^-?\d/.test(id) ? TAG + id : JSON.parse(id))
  }
  if (text.trim() === '') return undefined
  const message = readMessage(text)
  try {
    return parseJSONRPCMessage(/\d{16}/.test(text) ? withExactIds(message, text) : message)
  } catch {
    throw new MessageError(INVALID_REQUEST, 'this is no message of JSON-RPC 2.0', idOf(message))
  }
}

/** Stands before the digits of an id that JavaScript would round; `#write` takes it away. No client can guess it. */
const TAG = `${randomUUID()}:`
const TAGGED_ID = new RegExp(`"${TAG}(-?\\d+)"`, 'g')
const ID_DIGITS = /"(?:id|requestId|progressToken)"\s*:\s*(-?\d+)/g

/** The message with each id beyond 2^53 as its digits in the text. */
function withExactIds(object: JsonObject, text: string): JsonObject {
  const exact = (name: string, value: Json): Json => {
    if (isJsonObject(value) && (name === 'params' || name === '_meta')) return withExactIds(value, text)
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    const digits = Array.from(text.matchAll(ID_DIGITS), ([, found]) => found).find(
      (one) => Number(one) === value,
    )
    return digits === undefined ? value : TAG + digits
  }
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, exact(name, value)]))
}
