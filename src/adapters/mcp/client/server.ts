import type { Log } from '../../../chat/ports.ts'
import { createDeferred } from '../../../lib/deferred.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { McpPinStore } from '../../../tools/ports/mcp.ts'
import type { Tool, ToolSource } from '../../../tools/tool.ts'
import { namesakeRule, type McpServerConfig } from '../config.ts'
import type { McpLogins } from '../logins.ts'
import { connect } from './connect.ts'
import type { McpConnection } from './connection.ts'
import type { LeftOut } from './definition.ts'
import type { ToolDifference } from './difference.ts'
import type { LaunchMcp } from './launch.ts'
import { STEADY_MS, type McpTimes } from './limits.ts'
import { createDelayed, once, pause } from './seldom.ts'
import { createServerTools } from './server-tools.ts'
import type { OtherNames } from './tool-ids.ts'

/** Where a server stands. `why` is in words that end a sentence. */
export type McpState =
  | { readonly kind: 'connecting' }
  /** With what it lists and that can be no tool. */
  | { readonly kind: 'up'; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'down'; readonly why: string }

/** Told of a server's tools, each time once. Must not throw. */
export interface McpEvents {
  /** The server is gone, and its tools with it. */
  left(server: string, tools: readonly Tool[], why: string): void
  /** It is there again, with these tools. */
  back(server: string, tools: readonly Tool[]): void
  /** These are withheld: their definitions are not those that hold. Told once of each until an admin approves them. */
  changed(server: string, tools: readonly Tool[]): void
}

/** What every connection is made with. */
export interface Connecting {
  readonly times: McpTimes
  /** Of sshawl. */
  readonly version: string
  /** Makes commands ready. */
  readonly launch: LaunchMcp
  /** Without them, no server can be logged in to. */
  readonly logins?: Pick<McpLogins, 'of'>
}

/** What every server is made with. */
export interface McpServerParts {
  readonly connecting: Connecting
  readonly names: OtherNames
  /** The definitions that hold. */
  readonly pins: McpPinStore
  readonly events: McpEvents
  readonly log: Log
}

/** One server: its connection, which is made anew when it ends, and its tools, which are there while it is. */
export interface McpServer extends ToolSource, AsyncDisposable {
  readonly config: McpServerConfig
  state(): McpState
  /** Ids of the tools that it lists and that are not offered, since their definitions are not those that hold. */
  withheld(): readonly string[]
  /** Resolves when it was tried for the first time. Never rejects. */
  readonly tried: Promise<void>
  /** Reads its list again; connects at once where it is down. Rejects with an `Error` whose message ends a sentence. */
  refresh(): Promise<void>
  /** How what is withheld differs from what holds; with `approve`, just this holds from now on. Rejects with `StorageError`. */
  review(approve: boolean): Promise<readonly ToolDifference[]>
}

/** The same each time, so that whoever looks sees no change. */
const NONE: readonly Tool[] = []

const ENDED = 'it was disconnected'

export function createMcpServer(config: McpServerConfig, parts: McpServerParts): McpServer {
  const { log, events, connecting } = parts
  const { name } = config
  const { times } = connecting
  const login = connecting.logins?.of(config)
  const ended = new AbortController()
  const tools = createServerTools(config, parts, { call }, () => connection)
  let connection: McpConnection | undefined
  let isUp = false
  let why: string | undefined
  let hasLeft = false
  let calls = 0
  let wake = new AbortController()
  let outcome = createDeferred<void>()

  async function call(...asked: Parameters<McpConnection['call']>): ReturnType<McpConnection['call']> {
    const now = connection
    if (!now) throw new Error(`the MCP server ${name} is not connected now`)
    calls++
    try {
      return await now.call(...asked)
    } catch (error) {
      // Over HTTP nothing else tells that the other end is gone.
      void look(now)
      throw error
    } finally {
      calls--
    }
  }

  const look = (now: McpConnection): Promise<void> => lookAt(now, name, log)

  async function watch(now: McpConnection, over: AbortSignal): Promise<void> {
    while (await pause(times.pingMs, over)) if (calls === 0) await look(now)
  }

  const readAgain = async (open: McpConnection | undefined): Promise<void> => {
    if (open && open === connection)
      await tools.read(open).catch((error: unknown) => open.close(errorMessage(error)))
  }

  /** An attempt to connect came to something. */
  function settled(): void {
    outcome.resolve()
    outcome = createDeferred()
  }

  /** Resolves with why there is no connection any more. Never rejects. */
  async function connectOnce(): Promise<string> {
    const over = new AbortController()
    let open: McpConnection | undefined
    try {
      open = await connect(config, {
        ...connecting,
        login,
        listChanged: createDelayed(
          () => pause(times.relistMs, ended.signal),
          () => readAgain(open),
        ),
        slowed: once(() =>
          log.warn({ server: name }, 'an MCP server sends very much; it is read more slowly'),
        ),
        signal: ended.signal,
      })
      connection = open
      await tools.read(open)
      isUp = true
      log.info({ server: name, tools: tools.offered().length }, 'an MCP server is connected')
      if (hasLeft) events.back(name, tools.offered())
      hasLeft = false
      settled()
      void watch(open, over.signal)
      return await open.over
    } catch (error) {
      return errorMessage(error)
    } finally {
      over.abort()
      await open?.close(ENDED)
    }
  }

  async function live(): Promise<void> {
    for (let failures = 0; !ended.signal.aborted;) {
      const since = performance.now()
      const reason = await connectOnce()
      const wasUp = isUp
      const gone = tools.offered()
      connection = undefined
      tools.clear()
      isUp = false
      why = reason
      if (ended.signal.aborted) break
      log.warn({ server: name, why }, 'an MCP server is not connected')
      if (wasUp) events.left(name, gone, why)
      hasLeft ||= wasUp
      settled()
      failures = performance.now() - since > STEADY_MS ? 0 : failures + 1
      await pause(Math.min(times.maxRetryMs, times.retryMs * 2 ** (failures - 1)), wake.signal)
      wake = new AbortController()
    }
    settled()
  }

  /** A scope that names that tool must not let in a whole server; one that comes later has the word, too. */
  const isNamesake = (): boolean => parts.names.isTaken(name)
  function state(): McpState {
    if (isNamesake()) return { kind: 'down', why: namesakeRule(name) }
    if (isUp) return { kind: 'up', leftOut: tools.leftOut() }
    return why === undefined ? { kind: 'connecting' } : { kind: 'down', why }
  }
  const tried = outcome.promise
  const living = live()
  return {
    config,
    group: 'mcp',
    name,
    tools: () => (isNamesake() ? NONE : tools.offered()),
    state,
    withheld: () => tools.withheld().map(({ id }) => id),
    tried,
    review: tools.review,
    async refresh() {
      const now = connection
      if (now && isUp) {
        try {
          return await tools.read(now)
        } finally {
          await look(now)
        }
      }
      if (ended.signal.aborted) throw new Error(ENDED)
      const next = outcome.promise
      wake.abort()
      await next
      if (!isUp && why !== undefined) throw new Error(why)
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      wake.abort()
      await connection?.close(ENDED)
      await living
    },
  }
}

/** Ends a connection whose server does not answer. */
async function lookAt(now: McpConnection, server: string, log: Log): Promise<void> {
  try {
    await now.ping()
  } catch (error) {
    // What caused it may hold the server's words as they came.
    log.debug({ server, why: errorMessage(error) }, 'an MCP server did not answer')
    await now.close(errorMessage(error))
  }
}
