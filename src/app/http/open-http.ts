// What the server has for HTTP: who comes with a token, whether it is ready, its figures, and MCP. This folder joins these with
// adapters/http and decides nothing: what a token is worth is for chat/people, and what an agent may do for its commands.

import type { HttpHandler } from '../../adapters/http/handler.ts'
import { createHttpServer, type HttpServer } from '../../adapters/http/server.ts'
import type { ReadableMeter } from '../../adapters/metrics/meter.ts'
import { networkOf } from '../../adapters/ssh/admission/networks.ts'
import { createVisits } from '../../adapters/ssh/admission/visits.ts'
import { createMcpHttp, type McpHttp } from '../../adapters/mcp/server/http.ts'
import { createMcpServer } from '../../adapters/mcp/server/server.ts'
import type { OpenClients } from '../../chat/moderation/open-clients.ts'
import type { Tokens } from '../../chat/people/tokens.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Clock } from '../../chat/ports.ts'
import type { Account, Scheduler } from '../../lib/jobs/scheduler.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Agents } from '../agents/agents.ts'
import type { Mcp } from '../mcp/open.ts'
import { version } from '../version.ts'
import type { AppContext, Overrides } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'
import { createReadiness } from './readiness.ts'

/** What goes on, as far as HTTP shows it or takes part in it. */
interface HttpActivity {
  readonly work: { readonly turns: Pick<Turns, 'countHere'> }
  readonly mcp: Pick<Mcp, 'cameBack' | 'servedAt'>
}

/** What is served over HTTP. */
export interface HttpParts {
  readonly context: Pick<AppContext, 'storage' | 'clock' | 'log'>
  readonly meter: ReadableMeter
  readonly tokens: Pick<Tokens, 'identify'>
  readonly clients: Pick<OpenClients, 'sessions'>
  readonly activity: HttpActivity
  readonly agents: Agents
  readonly overrides: Pick<Overrides, 'createMcpServer'>
  /** Bytes that wait for clients over SSH, and what shares the thread between them. */
  readonly ssh: { queued(): number; readonly scheduler: Scheduler }
}

/** Joins the HTTP server with what it serves. It does not listen yet. */
export function openHttp(current: CurrentConfig, parts: HttpParts): HttpServer {
  const { context, meter, clients, activity } = parts
  const accountOf = createAccounts(parts.ssh.scheduler)
  const mcp = openAgents(current, parts, accountOf)
  meter.watch({
    sessions: () => clients.sessions(),
    mcpSessions: () => mcp.sessions(),
    queueBytes: () => parts.ssh.queued(),
    turns: () => activity.work.turns.countHere(),
  })
  const visits = createVisits(current.limits)
  const server = createHttpServer({
    limits: current.limits,
    settings: () => current.now().http,
    visitors: {
      networkOf,
      // Only a wrong token costs something: a program asks often.
      failed(address) {
        const network = networkOf(address)
        const { delayMs } = visits.begin(network)
        visits.failed(network)
        return delayMs
      },
    },
    handler: handlerFor(parts, mcp),
    accountOf,
    log: context.log,
  })
  return {
    async listen(host, port) {
      const taken = await server.listen(host, port)
      activity.mcp.servedAt(taken.port)
      return taken
    },
    drain() {
      server.drain()
      mcp.drain()
    },
    async [Symbol.asyncDispose]() {
      // Streams end with the agents that hear for them.
      await Promise.all([mcp[Symbol.asyncDispose](), server[Symbol.asyncDispose]()])
    },
  }
}

/** Networks and people whose costs are remembered. */
const MAX_ACCOUNTS = 1_000

/** One account for a network or a person: whoever opens a connection for each request stays as dear as they are. */
function createAccounts(scheduler: Scheduler): (key: string) => Account {
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

/** The agents that come over HTTP. */
function openAgents(
  current: CurrentConfig,
  { agents, overrides, context: { clock, log } }: HttpParts,
  accountOf: (key: string) => Account,
): McpHttp {
  return createMcpHttp({
    accountOf: ({ id }) => accountOf(id),
    openAgent: (person) =>
      agents.open(person, { signal: untilExpiry(person, clock), account: accountOf(person.id) }),
    createMcpServer: overrides.createMcpServer ?? createMcpServer,
    limits: current.limits,
    clock,
    version: version(),
    report: (error) => log.debug({ error }, 'an agent sent what has no meaning'),
  })
}

/** The longest time that a timer takes, in ms. */
const LONGEST_MS = 2 ** 31 - 1

/** Aborted when the token that somebody came with expires. */
function untilExpiry({ login }: Person, clock: Clock): AbortSignal {
  const left = (login?.token?.until ?? 0) - clock.now()
  return AbortSignal.timeout(Math.max(0, Math.min(left, LONGEST_MS)))
}

const handlerFor = (
  { context, meter, tokens, activity: { mcp } }: HttpParts,
  agents: McpHttp,
): HttpHandler => ({
  mcp: (request, person) => agents.fetch(request, person),
  cameBack: (answer) => mcp.cameBack(answer),
  identify: (token, address) => tokens.identify(token, { address, network: networkOf(address) }),
  whyNotReady: createReadiness(context.storage.upkeep, () => context.clock.monotonic()),
  metrics: () => meter.read(),
  mayReadMetrics: ({ admin, login }) => admin && login?.token?.rooms === undefined,
})
