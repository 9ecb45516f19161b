// Joins HTTP with tokens, readiness, metrics and MCP. It decides nothing: chat/people checks tokens, and
// commands check an agent's rights.

import { setTimeout as wait } from 'node:timers/promises'
import type { HttpServer } from './http/server.ts'
import type { McpHttp } from '../mcp/server/index.ts'
import type { Meter } from './metrics/meter.ts'
import type { SshServer } from '../ssh/index.ts'
import { StorageError } from '../words/errors.ts'
import { isLoopback, type Config } from './config/config.ts'
import type { Account, Scheduler } from '../base/jobs/scheduler.ts'
import { COSTS, NetworkPace, networkOf } from '../base/network.ts'
import type { Activity } from './activity.ts'
import type { Agents } from './agents.ts'
import type { AppContext, AppStorage, Overrides } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import type { PostLine } from './post-line.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'
import { version } from '../base/paths.ts'

interface HttpNeeds {
  readonly context: Pick<AppContext, 'storage' | 'clock' | 'log'>
  readonly meter: Meter
  readonly ssh: Pick<SshServer, 'queued' | 'scheduler'>
  readonly agents: Agents
  readonly postLine: PostLine
  readonly overrides: Pick<Overrides, 'createMcpServer'>
}

/** Loads the HTTP server's code. It does not listen yet. */
export async function openHttp(
  current: CurrentConfig,
  { comingIn: { tokens, clients }, rooms, tap }: RoomsAndPeople,
  activity: Pick<Activity, 'work' | 'mcp'>,
  needs: HttpNeeds,
): Promise<HttpServer> {
  const { createHttpServer } = await import('./http/server.ts')
  const { context, meter, ssh } = needs
  const accountOf = createSchedulerAccounts(ssh.scheduler)
  const mcp = await openMcp(current, needs, accountOf)
  tap((entry) => meter.entry(entry, rooms.peopleIn(entry.room)))
  meter.watch({
    sessions: () => clients.sessions(),
    mcpSessions: () => mcp.sessions(),
    queueBytes: () => ssh.queued(),
    turns: () => activity.work.turns.countHere(),
    routines: () => countRoutines(context),
    mcpServers: () => new Map(activity.mcp.list().map(({ name, state }) => [name, state === 'up'])),
  })
  const pace = new NetworkPace(current.limits)
  const server = createHttpServer({
    limits: current.limits,
    settings: () => current.now().http,
    visitors: {
      networkOf,
      // Only wrong tokens are charged, because programs connect often.
      failed(address) {
        const network = networkOf(address)
        const delayMs = pace.charge(network, COSTS.connection)
        pace.charge(network, COSTS.failure)
        return delayMs
      },
    },
    handler: {
      mcp: (request, person) => mcp.fetch(request, person),
      say: needs.postLine,
      handleLoginRedirect: (answer) => activity.mcp.handleLoginRedirect(answer),
      identify: (token, address) => tokens.identify(token, { address, network: networkOf(address) }),
      whyNotReady: createReadiness(context.storage.upkeep, () => context.clock.monotonic()),
      metrics: () => meter.read(),
      mayReadMetrics: ({ admin, login }) => admin && login?.token?.rooms === undefined,
    },
    accountOf,
    log: context.log,
  })
  return {
    async listen(host, port) {
      const taken = await server.listen(host, port)
      activity.mcp.port = taken.port
      return taken
    },
    drain() {
      server.drain()
      mcp.drain()
    },
    async [Symbol.asyncDispose]() {
      // Streams end when the agents that feed them are closed.
      await Promise.all([mcp[Symbol.asyncDispose](), server[Symbol.asyncDispose]()])
    },
  }
}

/** No counts if the database cannot be read: the other metrics are still shown. */
async function countRoutines({
  storage,
  log,
}: Pick<AppContext, 'storage' | 'log'>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map([
    ['active', 0],
    ['paused', 0],
  ])
  try {
    for (const { state } of await storage.models.routines.list({}))
      counts.set(state, (counts.get(state) ?? 0) + 1)
    return counts
  } catch (error) {
    log.warn({ error }, 'the routines could not be counted')
    return new Map()
  }
}

async function openMcp(
  current: CurrentConfig,
  { agents, overrides, context: { clock, log } }: HttpNeeds,
  accountOf: (key: string) => Account,
): Promise<McpHttp> {
  const { McpHttp } = await import('../mcp/server/index.ts')
  const { createMcpServer } = await import('../mcp/server/index.ts')
  return new McpHttp({
    accountOf: ({ id }) => accountOf(id),
    openAgent: (person) => {
      const left = (person.login?.token?.until ?? 0) - clock.now()
      const expiry = AbortSignal.timeout(Math.max(0, Math.min(left, LONGEST_MS)))
      return agents.open(person, { signal: expiry, account: accountOf(person.id) })
    },
    createMcpServer: overrides.createMcpServer ?? createMcpServer,
    limits: current.limits,
    version: version(),
    report: (error) => log.debug({ error }, 'an agent sent an invalid message'),
  })
}

/** The longest delay of a timer in ms. */
const LONGEST_MS = 2 ** 31 - 1

const MAX_ACCOUNTS = 1_000

/**
 * Returns a scheduler account for each network and person: opening many connections gives nobody more time.
 */
function createSchedulerAccounts(scheduler: Scheduler): (key: string) => Account {
  const accounts = new Map<string, Account>()
  return (key) => {
    const account = accounts.get(key) ?? scheduler.open()
    accounts.delete(key)
    accounts.set(key, account)
    const [oldest = key] = accounts.keys()
    if (accounts.size > MAX_ACCOUNTS) accounts.delete(oldest)
    return account
  }
}

/** Time in ms for which a result is reused, so that many health checks do not keep the disk busy. */
const REUSE_MS = 1_000
/** Time in ms after which a slow disk counts as failing. */
const HEALTH_TIMEOUT_MS = 2_000

/**
 * Checks at most once a second if the storage can be written. Resolves to the reason if not, in words that
 * anybody may read. Never rejects.
 */
export function createReadiness(
  { health }: Pick<AppStorage['upkeep'], 'health'>,
  now: () => number,
): () => Promise<string | undefined> {
  let askedAt = -Infinity
  let why: Promise<string | undefined> = Promise.resolve(undefined)
  return () => {
    if (now() - askedAt > REUSE_MS) [askedAt, why] = [now(), whyNotStored()]
    return why
  }

  async function whyNotStored(): Promise<string | undefined> {
    const late = wait(HEALTH_TIMEOUT_MS, 'the storage does not answer', { ref: false })
    try {
      return await Promise.race([health().then(() => undefined), late])
    } catch (error) {
      const isFull = error instanceof StorageError && error.reason === 'full'
      return `nothing can be stored just now${isFull ? ': the disk is full' : ''}`
    }
  }
}

/**
 * Returns a warning if tokens travel unencrypted: HTTP listens beyond this machine, and no proxy on another
 * machine is named, which is assumed to use TLS.
 */
export function exposureOf({ listen, proxies }: Config['http']): string | undefined {
  if (!listen || isLoopback(listen.host) || proxies.some((proxy) => !isLoopback(proxy))) return undefined
  return (
    `HTTP on ${listen.host} is not encrypted, so tokens can be read on their way: ` +
    'have it listen on 127.0.0.1 with a TLS proxy before it, or name that proxy in [http] proxies where it runs elsewhere'
  )
}
