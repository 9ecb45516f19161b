// MCP over streamable HTTP: finds a request's client, limits a person's clients, and ends clients. It must
// not know how HTTP is served, nor check tokens.
import { randomUUID } from 'node:crypto'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Person } from '../../words/person.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Account } from '../../base/jobs/scheduler.ts'
import { whenAborted } from '../../base/jobs/waiting.ts'
import type { ClosableAgent } from './agent.ts'
import { restoreResponseIds } from './large-ids.ts'
import { MessageError, readMessage } from './message.ts'
import { failed, TokenAgent, type Connection, type TokenAgentOptions } from './token-agent.ts'

interface McpHttpOptions extends TokenAgentOptions {
  /** The account that pays processor time for a person's messages. */
  readonly accountOf: (person: Person) => Account
  readonly openAgent: (person: Person) => Promise<ClosableAgent>
  readonly limits: {
    readonly exec_per_person: number
    /** Seconds after which a session without requests and streams ends. */
    readonly mcp_idle_s: number
  }
}

/** Estimated milliseconds of the SDK for one message. */
const MESSAGE_MS = 1

const NOT_BEGUN = 'a session begins with initialize, and each later request names it in Mcp-Session-Id'

/** A client's session; since 2026-07-28, all requests of a token. */
interface Session {
  /** A random ID; since 2026-07-28, the key. */
  readonly id: string
  readonly person: Person
  readonly key: string
  readonly over: AbortController
  readonly agent: TokenAgent
  readonly connection: Promise<Connection>
  calls: number
  /** Requests that last as long as the client listens. */
  streams: number
  usedAt: number
}

/** Interval of the search for idle sessions, in ms, unless `mcp_idle_s` is shorter. */
const IDLE_CHECK_MS = 10_000

export class McpHttp implements AsyncDisposable {
  readonly #options: McpHttpOptions
  readonly #sessions = new Map<string, Session>()
  readonly #agents = new Map<string, TokenAgent>()
  readonly #draining = new AbortController()
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: McpHttpOptions) {
    this.#options = options
  }

  sessions(): number {
    return this.#sessions.size
  }

  /** Answers a request with a token. The request's signal must be aborted when the answer is over. */
  async fetch(request: Request, person: Person): Promise<Response> {
    const text = request.method === 'POST' ? await request.text() : undefined
    return restoreResponseIds(text ?? '', await this.#fetch(request, text, person))
  }

  async #fetch(request: Request, text: string | undefined, person: Person): Promise<Response> {
    const account = this.#options.accountOf(person)
    const body = await account.run(() => readBody(text))
    if (body instanceof Response) return body
    // Charges an estimate, because the SDK's time cannot be measured.
    await account.restBefore(MESSAGE_MS)
    const isModern = !(await isLegacyRequest(request, body))
    // Nothing is awaited from here until the request is counted.
    if (this.#draining.signal.aborted) return failed(503, 'the server is stopping; ask again when it is back')
    const id = isModern ? keyOf(person) : request.headers.get('mcp-session-id')
    const known = this.#sessions.get(id ?? '')
    if (known?.key === keyOf(person)) return await this.#answer(known, request, body)
    if (!isModern && id !== null) return failed(404, 'there is no such session; initialize a new one')
    if (!isModern && body?.['method'] !== 'initialize') return failed(400, NOT_BEGUN)
    const session = this.#open(person, isModern)
    const response = await this.#answer(session, request, body)
    // Only the client that left before the answer would have known the session's ID.
    if (!isModern && (!response.ok || request.signal.aborted)) await this.#end(session)
    return response
  }

  /** Ends each session once its running calls are answered. Refuses further requests. */
  drain(): void {
    this.#draining.abort()
    for (const session of this.#sessions.values()) if (session.calls === 0) void this.#end(session)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#draining.abort()
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)))
  }

  #open(person: Person, isModern: boolean): Session {
    this.#makeRoom(person)
    const key = keyOf(person)
    const agent = this.#agents.get(key) ?? new TokenAgent(this.#options.openAgent(person), this.#options)
    this.#agents.set(key, agent)
    agent.clients += 1
    const [id, over] = [isModern ? key : randomUUID(), new AbortController()]
    const draining = this.#draining.signal
    const client = { id, signal: over.signal, draining, end: () => void this.#end(session) }
    const connection = isModern ? agent.openModern(client) : agent.openSession(client)
    const usedAt = performance.now()
    const session = { id, person, key, over, agent, connection, calls: 0, streams: 0, usedAt }
    this.#sessions.set(id, session)
    connection.catch(client.end)
    if (this.#sessions.size === 1) this.#endIdle()
    return session
  }

  async #answer(session: Session, request: Request, body: JsonObject | undefined): Promise<Response> {
    const isStream = request.method === 'GET' || body?.['method'] === 'subscriptions/listen'
    const kind = isStream ? 'streams' : 'calls'
    session[kind] += 1
    session.usedAt = performance.now()
    if (isStream) this.#limitStreams(session)
    whenAborted(request.signal, () => {
      session[kind] -= 1
      session.usedAt = performance.now()
      if (this.#draining.signal.aborted && session.calls === 0) void this.#end(session)
    })
    const connection = await session.connection
    if (session.over.signal.aborted) return failed(404, 'this session is over; initialize a new one')
    return await connection.answer(request, body)
  }

  async #end(session: Session): Promise<void> {
    if (!this.#sessions.delete(session.id)) return
    session.over.abort()
    const { agent, key } = session
    agent.clients -= 1
    const isLast = agent.clients === 0
    if (isLast) this.#agents.delete(key)
    const connection = await session.connection.catch(() => undefined)
    await connection?.close()
    if (isLast) await agent.close()
  }

  #endIdle(): void {
    clearTimeout(this.#idleTimer)
    const idleMs = this.#options.limits.mcp_idle_s * 1_000
    const since = performance.now() - idleMs
    for (const session of this.#sessions.values())
      if (session.calls + session.streams === 0 && session.usedAt <= since) void this.#end(session)
    if (this.#sessions.size > 0)
      this.#idleTimer = setTimeout(() => this.#endIdle(), Math.min(IDLE_CHECK_MS, idleMs)).unref()
  }

  /** Ends sessions to admit one more: idle sessions first, then those with a call, then listening ones. */
  #makeRoom(person: Person): void {
    const theirs = this.#of(person).toSorted((one, other) => rankOf(one) - rankOf(other))
    const excess = theirs.length + 1 - this.#options.limits.exec_per_person
    for (const session of theirs.slice(0, Math.max(0, excess))) void this.#end(session)
  }

  /** Reserves one session for clients that do not listen; otherwise they would end a listening session. */
  #limitStreams({ person }: Session): void {
    const listening = this.#of(person).filter(({ streams }) => streams > 0)
    const excess = listening.length - Math.max(1, this.#options.limits.exec_per_person - 1)
    for (const session of listening.slice(0, Math.max(0, excess))) void this.#end(session)
  }

  #of({ id }: Person): readonly Session[] {
    const theirs = [...this.#sessions.values()].filter(({ person }) => person.id === id)
    return theirs.toSorted((one, other) => one.usedAt - other.usedAt)
  }
}

const rankOf = ({ streams, calls }: Session): number => (streams > 0 ? 2 : Math.min(calls, 1))

/** Includes the token's rooms, because a room may be deleted and another room get its name. */
const keyOf = ({ id, login }: Person): string =>
  JSON.stringify([id, login?.token?.id, ...(login?.token?.rooms ?? ['*'])])

function readBody(text: string | undefined): JsonObject | undefined | Response {
  if (text === undefined) return undefined
  try {
    return readMessage(text)
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return failed(400, error.message, { id: error.id, code: error.code })
  }
}
