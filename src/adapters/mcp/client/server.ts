import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../chat/ports.ts'
import { createDeferred } from '../../../lib/deferred.ts'
import { errorMessage } from '../../../lib/errors.ts'
import { createSerial } from '../../../lib/jobs/serial.ts'
import type { McpPinStore } from '../../../tools/ports/mcp.ts'
import type { Tool, ToolSource } from '../../../tools/tool.ts'
import { namesakeRule, type McpServerConfig } from '../config.ts'
import type { McpLogin } from '../login/login.ts'
import type { McpLogins } from '../login/logins.ts'
import { connect, type McpConnection } from './connection.ts'
import type { LeftOut, McpDefinition } from './definition.ts'
import { differenceOf, type ToolDifference } from './difference.ts'
import type { LaunchMcp } from './launch.ts'
import { STEADY_MS, type McpTimes } from './limits.ts'
import { createOfferedTools } from './offered-tools.ts'
import { createPins } from './pins.ts'
import type { OtherNames } from './tool-ids.ts'

/** Where a server stands. `why` is in words that end a sentence. */
export type McpState =
  { readonly kind: 'connecting' } | { readonly kind: 'up' } | { readonly kind: 'down'; readonly why: string }

/** Told of a server's tools, each time once. Must not throw. */
export interface McpEvents {
  /** The server is gone, and its tools with it. */
  left(server: string, tools: readonly Tool[], why: string): void
  /** It is there again, with these tools. */
  back(server: string, tools: readonly Tool[]): void
  /** These are withheld: their definitions are not those that hold. Told once of each until an admin approves them. */
  changed(server: string, tools: readonly Tool[]): void
}

/** What every server is made with. */
export interface McpServerParts {
  readonly times: McpTimes
  /** Of sshawl. */
  readonly version: string
  /** Makes commands ready. */
  readonly launch: LaunchMcp
  readonly logins?: Pick<McpLogins, 'of'> | undefined
  readonly names: OtherNames
  /** The definitions that hold. */
  readonly pins: McpPinStore
  readonly events: McpEvents
  readonly log: Log
}

/** One server: its connection, which is made anew when it ends, and its tools, which are there while it is. */
export interface McpServer extends ToolSource, AsyncDisposable {
  readonly config: McpServerConfig
  /** Absent where it can want none. */
  readonly login: McpLogin | undefined
  state(): McpState
  /** Ids of the tools that it lists and that are not offered, since their definitions are not those that hold. */
  withheld(): readonly string[]
  /** What it lists and that can be no tool. */
  leftOut(): readonly LeftOut[]
  /** Resolves when it was tried for the first time. Never rejects. */
  readonly tried: Promise<void>
  /** Reads its list again; connects at once where it is down. Rejects with an `Error` whose message ends a sentence. */
  refresh(): Promise<void>
  /** Ends its connection, for a reason; it is tried again later. */
  drop(why: string): Promise<void>
  /** How what is withheld differs from what holds; with `approve`, just this holds from now on. Rejects with `StorageError`. */
  review(approve: boolean): Promise<readonly ToolDifference[]>
}

/** The same each time, so that whoever looks sees no change. */
const NONE: readonly Tool[] = []

const ENDED = 'it was disconnected'

export function createMcpServer(config: McpServerConfig, parts: McpServerParts): McpServer {
  const { times, log, events } = parts
  const login = parts.logins?.of(config)
  const ended = new AbortController()
  const oneByOne = createSerial()
  const offered = createOfferedTools(config, parts, { call, masked: (text) => login?.masked(text) ?? text })
  const pins = createPins(config.name, parts.pins)
  const told = new Set<string>()
  let connection: McpConnection | undefined
  let leftOut: readonly LeftOut[] = []
  let state: McpState = { kind: 'connecting' }
  let hasLeft = false
  let calls = 0
  let wake = new AbortController()
  let outcome = createDeferred<void>()

  async function call(...asked: Parameters<McpConnection['call']>): ReturnType<McpConnection['call']> {
    const now = connection
    if (!now) throw new Error(`the MCP server ${config.name} is not connected now`)
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

  /** Ends a connection whose server does not answer. */
  async function look(now: McpConnection): Promise<void> {
    try {
      await now.ping()
    } catch (error) {
      log.debug({ server: config.name, error }, 'an MCP server did not answer')
      await now.close(errorMessage(error))
    }
  }

  async function watch(now: McpConnection, over: AbortSignal): Promise<void> {
    while (await pause(times.pingMs, over)) if (calls === 0) await look(now)
  }

  /** Servers may say that their list changed as often as they like. */
  function createRelist(now: () => McpConnection | undefined): () => void {
    let isDue = false
    return () => {
      if (isDue) return
      isDue = true
      void (async () => {
        await pause(times.relistMs, ended.signal)
        isDue = false
        const open = now()
        if (open && open === connection)
          await read(open).catch((error: unknown) => open.close(errorMessage(error)))
      })()
    }
  }

  /** Once for each connection. */
  function createSlowed(): () => void {
    let isTold = false
    return () => {
      if (!isTold) log.warn({ server: config.name }, 'an MCP server sends very much; it is read more slowly')
      isTold = true
    }
  }

  const read = (now: McpConnection): Promise<void> =>
    oneByOne(async () => {
      const listed = await now.list()
      tellLeftOut(listed.leftOut)
      await offer(listed.definitions, now)
      log.debug(
        { server: config.name, tools: listed.definitions.length },
        'the tools of an MCP server were read',
      )
    })

  function tellLeftOut(now: readonly LeftOut[]): void {
    if (now.length > 0 && !isDeepStrictEqual(now, leftOut))
      log.warn({ server: config.name, leftOut: now }, 'tools of an MCP server are left out')
    leftOut = now
  }

  async function offer(listed: readonly McpDefinition[], from: McpConnection): Promise<void> {
    const sifted = await pins.sift(listed)
    if (from !== connection) return
    offered.take(sifted)
    const changed = offered.withheld().flatMap(({ tool }) => (told.has(tool.id) ? [] : [tool]))
    if (changed.length === 0) return
    for (const { id } of changed) told.add(id)
    log.warn({ server: config.name, tools: changed.map(({ id }) => id) }, 'an MCP server changed its tools')
    events.changed(config.name, changed)
  }

  const review = (approve: boolean): Promise<readonly ToolDifference[]> =>
    oneByOne(async () => {
      const [withheld, now] = [offered.withheld(), connection]
      const definitions = withheld.map(({ definition }) => definition)
      const holding = await pins.holding(definitions)
      const differences = withheld.map(({ tool, definition }) =>
        differenceOf(tool.id, definition, holding.get(definition.name)),
      )
      if (!approve || !now) return differences
      await pins.approve(definitions)
      told.clear()
      await offer(offered.listed(), now)
      return differences
    })

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
      const listChanged = createRelist(() => open)
      open = await connect(config, {
        ...parts,
        login,
        listChanged,
        slowed: createSlowed(),
        signal: ended.signal,
      })
      connection = open
      await read(open)
      state = { kind: 'up' }
      log.info({ server: config.name, tools: offered.tools().length }, 'an MCP server is connected')
      if (hasLeft) events.back(config.name, offered.tools())
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
      const why = await connectOnce()
      const wasUp = state.kind === 'up'
      const gone = offered.tools()
      connection = undefined
      offered.clear()
      state = { kind: 'down', why }
      if (ended.signal.aborted) break
      log.warn({ server: config.name, why }, 'an MCP server is not connected')
      if (wasUp) events.left(config.name, gone, why)
      hasLeft ||= wasUp
      settled()
      failures = performance.now() - since > STEADY_MS ? 0 : failures + 1
      await pause(Math.min(times.maxRetryMs, times.retryMs * 2 ** (failures - 1)), wake.signal)
      wake = new AbortController()
    }
    settled()
  }

  /** A scope that names that tool must not let in a whole server; one that comes later has the word, too. */
  const isNamesake = (): boolean => parts.names.isTaken(config.name)
  const tried = outcome.promise
  const living = live()
  return {
    config,
    login,
    group: 'mcp',
    name: config.name,
    tools: () => (isNamesake() ? NONE : offered.tools()),
    state: () => (isNamesake() ? { kind: 'down', why: namesakeRule(config.name) } : state),
    leftOut: () => (state.kind === 'up' ? leftOut : []),
    withheld: () => offered.withheld().map(({ tool }) => tool.id),
    tried,
    review,
    drop: async (why) => await connection?.close(why),
    async refresh() {
      if (connection && state.kind === 'up') return await read(connection)
      const next = outcome.promise
      wake.abort()
      await next
      if (state.kind === 'down') throw new Error(state.why)
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      wake.abort()
      await connection?.close(ENDED)
      await living
    },
  }
}

/** False if it was cut short. Keeps no process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  wait(ms, true, { signal, ref: false }).catch(() => false)
