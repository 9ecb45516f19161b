import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import type { z } from 'zod'
import { toolProgress } from '../../words/tool-progress.ts'
import { createDeferred } from '../../base/jobs/waiting.ts'
import type { ToolContext } from '../../tools/index.ts'
import type { McpServerConfig } from '../config.ts'
import type { ServerLogin } from '../logins.ts'
import { isDistinctive, redact, secretValues } from '../redact.ts'
import { explainError, isRefusal, isAccessDenied, NOT_ASKED, type Sdk } from './explain-error.ts'
import { createHttpTransport } from './http.ts'
import { StdioTransport, type EndingTransport, type LaunchMcp } from './stdio.ts'
import { readResult } from './tool.ts'
import { readToolList, toolPage, type McpDefinition, type McpList } from './tool-list.ts'

export const USUAL_TIMES = {
  /** Time limit of the handshake, and of each page of tools. */
  connectMs: 30_000,
  /** Time limit of `server/discover`; then `initialize` is tried in a new connection. */
  discoverMs: 10_000,
  /** Delay before the first retry; each failure doubles it, up to `maxRetryMs`. */
  retryMs: 1_000,
  maxRetryMs: 300_000,
  /** Pause between two pings while no call runs, and time limit of a ping. */
  pingMs: 30_000,
  /** Shortest time between two reads of the tool list, however often it changes. */
  relistMs: 1_000,
}
export type McpTimes = Readonly<typeof USUAL_TIMES>

/** A connection or stream that lasts this many ms resets the count of failures. */
export const STEADY_MS = 60_000

export interface ConnectionOptions {
  readonly times: McpTimes
  readonly version: string
  readonly launch: LaunchMcp
  readonly login?: ServerLogin | undefined
  listChanged(): void
  slowed(): void
  readonly signal: AbortSignal
}

/** `newest` tries `server/discover` first; `events` is the older HTTP transport of server-sent events. */
type Way = 'newest' | 'older' | 'events'

/** Node's longest timer, in ms: the caller has its own limit. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** Rejects with an `Error` whose message ends a sentence. */
export async function connect(config: McpServerConfig, options: ConnectionOptions): Promise<McpConnection> {
  const [unset] = config.reach.unset ?? []
  if (unset !== undefined) throw new Error(`the environment variable ${unset} is not set`)
  const connection = new McpConnection(config, options, await import('@modelcontextprotocol/client'))
  await connection.begin()
  return connection
}

/** All methods except `close` reject with an `Error` whose message ends a sentence. */
export class McpConnection {
  readonly #config: McpServerConfig
  readonly #options: ConnectionOptions
  readonly #sdk: Sdk
  readonly #ended = createDeferred<string>()
  /** Resolves with the reason when the connection is over. */
  readonly over = this.#ended.promise
  readonly #end = new AbortController()
  readonly signal: AbortSignal = this.#end.signal
  #client: Client | undefined
  #transport: EndingTransport | undefined
  #renewing: Promise<void> | undefined
  #reason: string | undefined

  constructor(config: McpServerConfig, options: ConnectionOptions, sdk: Sdk) {
    this.#config = config
    this.#options = options
    this.#sdk = sdk
  }

  async begin(): Promise<void> {
    const { SdkError, SdkErrorCode, SdkHttpError } = this.#sdk
    try {
      await this.#open('newest')
    } catch (error) {
      const cause: unknown = error instanceof Error ? error.cause : undefined
      const status = cause instanceof SdkHttpError ? cause.status : undefined
      // An older server may exit or hang on an unknown request.
      const gaveNoAnswer =
        cause instanceof SdkError &&
        [SdkErrorCode.EraNegotiationFailed, SdkErrorCode.RequestTimeout].some((code) => code === cause.code)
      if (gaveNoAnswer) await this.#open('older')
      // The older HTTP transport (modelcontextprotocol.io, "Backwards compatibility").
      else if (status === 400 || status === 404 || status === 405) await this.#open('events')
      else throw error
    }
    void this.#listen()
  }

  list(): Promise<McpList> {
    const withHeaders = 'url' in this.#config.reach && this.#client?.getProtocolEra() === 'modern'
    const limit = { timeout: this.#options.times.connectMs }
    // Requests the list always, because capabilities are often wrong about tools.
    const orNone = (error: unknown): z.output<typeof toolPage> => {
      if (isRefusal(this.#sdk, error, 'MethodNotFound')) return { tools: [] }
      throw error
    }
    return readToolList(
      (params) =>
        this.#ask((client) =>
          client.request({ method: 'tools/list', params }, toolPage, limit).catch(orNone),
        ),
      { withHeaders, redacted: (text) => this.#redacted(text) },
    )
  }

  async call(
    { name, schema }: McpDefinition,
    args: Record<string, unknown>,
    { signal, progress }: Pick<ToolContext, 'signal' | 'progress'>,
  ): Promise<{ readonly text: string; readonly isError: boolean }> {
    const onprogress = (told: { progress: number; total?: number; message?: string }): void =>
      progress?.(toolProgress(told.progress, told.total, this.#redacted(told.message ?? '')))
    // The SDK needs the schema for arguments that it also sends as headers.
    const toolDefinition = { name, inputSchema: { ...schema, type: 'object' as const } }
    const options = { signal, timeout: NO_LIMIT_MS, toolDefinition, ...(progress ? { onprogress } : {}) }
    const result = await this.#ask((client) => client.callTool({ name, arguments: args }, options))
    const { text, isError } = readResult(result)
    return { text: this.#redacted(text), isError }
  }

  /** Resolves if the server answers, even with an error; rejects if it denies access or changed protocol. */
  async ping(): Promise<void> {
    const sdk = this.#sdk
    const timeout = this.#options.times.pingMs
    const isModern = this.#client?.getProtocolEra() === 'modern'
    try {
      // Revision 2026-07-28 has no `ping`.
      await this.#inSession((client) => (isModern ? client.discover({ timeout }) : client.ping({ timeout })))
    } catch (error) {
      if (isModern && isRefusal(sdk, error, 'MethodNotFound', 'UnsupportedProtocolVersion'))
        throw new Error('it speaks another revision of the protocol now', { cause: error })
      if (isAccessDenied(sdk, error)) throw this.#explain(error)
      const isOdd = error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.InvalidResult
      if (!isOdd && !(error instanceof sdk.ProtocolError))
        throw new Error('it does not answer any more', { cause: error })
    }
  }

  /** Ends the connection, and the server's process. Never rejects. */
  async close(why: string): Promise<void> {
    this.#reason ??= why
    await Promise.allSettled([this.#transport?.close(), this.#client?.close()])
    this.#closed()
  }

  #closed(): void {
    this.#ended.resolve(this.#reason ?? this.#whyEnded() ?? 'the connection ended')
    this.#end.abort()
  }

  async #open(way: Way): Promise<void> {
    const { times, version, signal } = this.#options
    const probe = { timeoutMs: Math.min(times.discoverMs, times.connectMs) }
    const versionNegotiation =
      way === 'newest' ? { mode: 'auto' as const, probe } : { mode: 'legacy' as const }
    const client = new this.#sdk.Client({ name: 'sshawl', version }, { capabilities: {}, versionNegotiation })
    client.fallbackRequestHandler = async () => {
      throw new this.#sdk.ProtocolError(this.#sdk.ProtocolErrorCode.MethodNotFound, NOT_ASKED)
    }
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#options.listChanged())
    const oldClient = this.#client
    const oldTransport = this.#transport
    const transport = (this.#transport = this.#makeTransport(way))
    // The SDK's first request ignores the signal.
    const leave = (): void => void transport.close().catch(() => undefined)
    signal.addEventListener('abort', leave)
    try {
      signal.throwIfAborted()
      await client.connect(transport, { timeout: times.connectMs, signal })
    } catch (error) {
      const explained = this.#explain(error)
      this.#transport = oldTransport
      await transport.close().catch(() => undefined)
      throw explained
    } finally {
      signal.removeEventListener('abort', leave)
    }
    this.#client = client
    Object.assign(client, { onclose: () => this.#client === client && this.#closed() })
    await oldClient?.close().catch(() => undefined)
  }

  #makeTransport(way: Way): EndingTransport {
    const { reach, name } = this.#config
    const { launch, login, slowed } = this.#options
    if ('command' in reach) return new StdioTransport(() => launch(reach, name), slowed)
    return createHttpTransport(this.#sdk, reach, { isEvents: way === 'events', login, slowed })
  }

  async #ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return await this.#inSession(work).catch((error: unknown) => {
      throw this.#explain(error)
    })
  }

  /** Repeats a request in a new session if the server forgot the session, as after a restart. */
  async #inSession<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!client) throw new Error('it is not connected')
    try {
      return await ask(client)
    } catch (error) {
      if (!this.#isForgotten(error)) throw error
      if (client === this.#client)
        await (this.#renewing ??= this.#open('older').finally(() => (this.#renewing = undefined)))
      this.#options.listChanged()
      return await ask(this.#client ?? client)
    }
  }

  /** The protocol has status 404 for a forgotten session; many servers send 400 with a text about it. */
  #isForgotten(error: unknown): boolean {
    if (this.#transport?.sessionId === undefined || !(error instanceof this.#sdk.SdkHttpError)) return false
    return error.status === 404 || (error.status === 400 && /session/i.test(error.message))
  }

  /** Listens for changed tools: since 2026-07-28 they are announced only on this stream. Never rejects. */
  async #listen(): Promise<void> {
    const client = this.#client
    const sdk = this.#sdk
    const options = this.#options
    const { signal } = this
    const { connectMs, retryMs, maxRetryMs } = options.times
    if (client?.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged) return
    for (let failures = 0; !signal.aborted;) {
      const since = performance.now()
      try {
        const stream = await client.listen({ toolsListChanged: true }, { timeout: connectMs, signal })
        // The server did not announce changes before the stream began.
        options.listChanged()
        await stream.closed
      } catch (error) {
        if (isRefusal(sdk, error, 'MethodNotFound')) return
      }
      failures = performance.now() - since > STEADY_MS ? 0 : failures + 1
      await pause(Math.min(maxRetryMs, retryMs * 2 ** failures), signal)
    }
  }

  #explain(error: unknown): Error {
    const config = this.#config
    const options = this.#options
    const sdk = this.#sdk
    if (error instanceof sdk.InsufficientScopeError) options.login?.wants(error.requiredScope)
    const why = this.#whyEnded() ?? this.#reason ?? explainError(sdk, error, config, options.times.connectMs)
    return new Error(redact(why, this.#secrets()), { cause: error })
  }

  #whyEnded(): string | undefined {
    const why = this.#transport?.why()
    return why === undefined ? undefined : redact(why, this.#secrets())
  }

  #secrets(): readonly string[] {
    return [...secretValues(this.#config.reach), ...(this.#options.login?.secrets() ?? [])]
  }

  /** Redacts results and descriptions, because a tool may print its environment. */
  #redacted(text: string): string {
    return redact(text, this.#secrets().filter(isDistinctive))
  }
}

/** Resolves to false if the signal ends the pause. Keeps no process alive. */
export const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  wait(ms, true, { signal, ref: false }).catch(() => false)
