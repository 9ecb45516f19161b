// Connects to MCP servers and offers their tools as a tool source. This folder knows no room and asks no
// person: scope and permissions belong to the toolbox.
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../base/environment.ts'
import { createDeferred } from '../../base/jobs/waiting.ts'
import { errorMessage } from '../../base/errors.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import type { McpPinStore, Tool, ToolSource } from '../../tools/index.ts'
import { namesakeRule, type McpServerConfig } from '../config.ts'
import type { ServerLogin, McpLogins } from '../logins.ts'
import { connect, pause, STEADY_MS, USUAL_TIMES, type McpConnection, type McpTimes } from './connection.ts'
import { createPinnedTools, type PinnedTools, type ToolDifference } from './pins.ts'
import type { LaunchMcp } from './stdio.ts'
import type { SkippedTool, OtherNames } from './tool-list.ts'

/** `why` ends a sentence. */
export type McpState =
  | { readonly kind: 'connecting' }
  /** `leftOut`: listed tools that cannot be used. */
  | { readonly kind: 'up'; readonly leftOut: readonly SkippedTool[] }
  | { readonly kind: 'down'; readonly why: string }

/** Must not throw. */
export interface McpEvents {
  left(server: string, tools: readonly Tool[], why: string): void
  back(server: string, tools: readonly Tool[]): void
  /** The tools' definitions changed, so the tools are withheld until an admin approves them. */
  changed(server: string, tools: readonly Tool[]): void
}

export interface McpServersOptions {
  readonly version: string
  readonly times?: McpTimes
  readonly launch: LaunchMcp
  readonly logins?: Pick<McpLogins, 'of'>
  isTaken(id: string): boolean
  readonly pins: McpPinStore
  readonly events: McpEvents
  readonly log: Log
}

export type McpServers = ReturnType<typeof createMcpServers>

export function createMcpServers(options: McpServersOptions) {
  let open: readonly McpServer[] = []
  let isOver = false
  const names = {
    get servers() {
      return open.map(({ name }) => name)
    },
    isTaken: options.isTaken,
  }

  /** Starts connecting to new and changed servers; disconnects from removed ones. Never rejects. */
  async function follow(servers: readonly McpServerConfig[]): Promise<void> {
    const before = open
    open = (isOver ? [] : servers).map(
      (config) =>
        before.find((one) => isDeepStrictEqual(one.config, config)) ?? new McpServer(config, options, names),
    )
    const gone = before.filter((one) => !open.includes(one))
    await Promise.all(gone.map((one) => one[Symbol.asyncDispose]()))
  }

  return {
    /** Returns the servers in the order of `follow`. */
    all: () => open,
    follow,
    find: (name: string) => open.find((one) => one.name === name),
    [Symbol.asyncDispose]() {
      isOver = true
      return follow([])
    },
  }
}

const ENDED = 'it was disconnected'

/** One object, so that it counts as unchanged. */
const NONE: readonly Tool[] = []

/** One server: offers the server's tools, and reconnects whenever the connection ends. */
export class McpServer implements ToolSource, AsyncDisposable {
  readonly group = 'mcp'
  readonly name: string
  readonly config: McpServerConfig
  /** Resolves after the first attempt to connect. */
  readonly tried: Promise<void>
  readonly #options: McpServersOptions
  readonly #times: McpTimes
  readonly #login: ServerLogin | undefined
  readonly #pinned: PinnedTools
  readonly #oneByOne = createSerial()
  readonly #ended = new AbortController()
  readonly #living: Promise<void>
  #connection: McpConnection | undefined
  #leftOut: readonly SkippedTool[] = []
  #isUp = false
  #hasLeft = false
  #why: string | undefined
  #calls = 0
  #isListDue = false
  #retryNow = new AbortController()
  #attempt = createDeferred<void>()

  constructor(config: McpServerConfig, options: McpServersOptions, names: OtherNames) {
    this.name = config.name
    this.config = config
    this.#options = options
    this.#times = options.times ?? USUAL_TIMES
    this.#login = options.logins?.of(config)
    const call: McpConnection['call'] = (...args) => this.#call(...args)
    this.#pinned = createPinnedTools(config, { store: options.pins, names, call })
    this.tried = this.#attempt.promise
    this.#living = this.#live()
  }

  tools(): readonly Tool[] {
    return this.#isNamesake() ? NONE : this.#pinned.offered()
  }

  state(): McpState {
    if (this.#isNamesake()) return { kind: 'down', why: namesakeRule(this.name) }
    if (this.#isUp) return { kind: 'up', leftOut: this.#leftOut }
    return this.#why === undefined ? { kind: 'connecting' } : { kind: 'down', why: this.#why }
  }

  withheld(): readonly string[] {
    return this.#pinned.withheld()
  }

  /** Reads the list again, or connects at once. Rejects with an `Error` whose message ends a sentence. */
  async refresh(): Promise<void> {
    const connection = this.#connection
    if (connection && this.#isUp)
      try {
        return await this.#readList(connection)
      } finally {
        await this.#ping(connection)
      }
    if (this.#ended.signal.aborted) throw new Error(ENDED)
    const next = this.#attempt.promise
    this.#retryNow.abort()
    await next
    if (!this.#isUp && this.#why !== undefined) throw new Error(this.#why)
  }

  /**
   * Resolves to the changes of each withheld tool since it was first seen or last approved. `approve` also
   * approves the new definitions, so that models get the tools. Rejects with `StorageError`.
   */
  review(approve: boolean): Promise<readonly ToolDifference[]> {
    return this.#oneByOne(() => {
      const connection = this.#connection
      return this.#pinned.review(approve && connection !== undefined, () => connection === this.#connection)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    this.#retryNow.abort()
    await this.#connection?.close(ENDED)
    await this.#living
  }

  /** A scope for a tool with this server's name, even a newer tool, must not admit a whole server. */
  #isNamesake(): boolean {
    return this.#options.isTaken(this.name)
  }

  async #call(...call: Parameters<McpConnection['call']>): ReturnType<McpConnection['call']> {
    const connection = this.#connection
    if (!connection) throw new Error(`the MCP server ${this.name} is not connected now`)
    this.#calls++
    try {
      return await connection.call(...call)
    } catch (error) {
      // Over HTTP, only a ping reveals that the server is gone.
      void this.#ping(connection)
      throw error
    } finally {
      this.#calls--
    }
  }

  async #live(): Promise<void> {
    const times = this.#times
    const { name } = this
    const { log, events } = this.#options
    for (let failures = 0; !this.#ended.signal.aborted;) {
      const since = performance.now()
      const why = await this.#connectOnce()
      const [wasUp, gone] = [this.#isUp, this.#pinned.offered()]
      this.#connection = undefined
      this.#pinned.clear()
      this.#isUp = false
      this.#why = why
      if (this.#ended.signal.aborted) break
      log.warn({ server: name, why }, 'an MCP server is not connected')
      if (wasUp) events.left(name, gone, why)
      this.#hasLeft ||= wasUp
      this.#finishAttempt()
      failures = performance.now() - since > STEADY_MS ? 0 : failures + 1
      await pause(Math.min(times.maxRetryMs, times.retryMs * 2 ** (failures - 1)), this.#retryNow.signal)
      this.#retryNow = new AbortController()
    }
    this.#finishAttempt()
  }

  /** Resolves to the reason when the connection has failed or ended. Never rejects. */
  async #connectOnce(): Promise<string> {
    const pinned = this.#pinned
    const { name } = this
    const { log, events, version, launch } = this.#options
    let connection: McpConnection | undefined
    try {
      connection = await connect(this.config, {
        times: this.#times,
        login: this.#login,
        version,
        launch,
        listChanged: () => void this.#readListLater(),
        slowed: () => log.warn({ server: name }, 'an MCP server sends very much; it is read more slowly'),
        signal: this.#ended.signal,
      })
      this.#connection = connection
      await this.#readList(connection)
      this.#isUp = true
      log.info({ server: name, tools: pinned.offered().length }, 'an MCP server is connected')
      if (this.#hasLeft) events.back(name, pinned.offered())
      this.#hasLeft = false
      this.#finishAttempt()
      void this.#pingWhileIdle(connection)
      return await connection.over
    } catch (error) {
      return errorMessage(error)
    } finally {
      await connection?.close(ENDED)
    }
  }

  #finishAttempt(): void {
    this.#attempt.resolve()
    this.#attempt = createDeferred()
  }

  /** Ignores the list of an earlier connection. Rejects as `McpConnection.list` does. */
  #readList(connection: McpConnection): Promise<void> {
    const { name } = this
    const { log, events } = this.#options
    return this.#oneByOne(async () => {
      const { definitions, leftOut } = await connection.list()
      const changed = await this.#pinned.update(definitions, () => connection === this.#connection)
      if (changed.length > 0) {
        log.warn({ server: name, tools: changed.map(({ id }) => id) }, 'an MCP server changed its tools')
        events.changed(name, changed)
      }
      if (leftOut.length > 0 && !isDeepStrictEqual(leftOut, this.#leftOut))
        log.warn({ server: name, leftOut }, 'tools of an MCP server are left out')
      this.#leftOut = leftOut
      log.debug({ server: name, tools: definitions.length }, 'the tools of an MCP server were read')
    })
  }

  /** Waits briefly, then reads the list once for all changes. Never rejects. */
  async #readListLater(): Promise<void> {
    if (this.#isListDue) return
    this.#isListDue = true
    await pause(this.#times.relistMs, this.#ended.signal)
    this.#isListDue = false
    const connection = this.#connection
    if (connection)
      await this.#readList(connection).catch((error: unknown) => connection.close(errorMessage(error)))
  }

  async #pingWhileIdle(connection: McpConnection): Promise<void> {
    while (await pause(this.#times.pingMs, connection.signal))
      if (this.#calls === 0) await this.#ping(connection)
  }

  /** Closes a connection whose server does not answer. Never rejects. */
  async #ping(connection: McpConnection): Promise<void> {
    await connection.ping().catch((error: unknown) => {
      const why = errorMessage(error)
      // Logs only the message: `error.cause` may contain unsanitized text from the server.
      this.#options.log.debug({ server: this.name, why }, 'an MCP server did not answer')
      return connection.close(why)
    })
  }
}
