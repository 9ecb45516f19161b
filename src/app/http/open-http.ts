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
import { createScheduler } from '../../lib/jobs/scheduler.ts'
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
  /** Bytes that wait for clients over SSH. */
  readonly queued: () => number
}

/** Joins the HTTP server with what it serves. It does not listen yet. */
export function openHttp(current: CurrentConfig, parts: HttpParts): HttpServer {
  const { context, meter, clients, activity } = parts
  const mcp = openAgents(current, parts)
  meter.watch({
    sessions: () => clients.sessions(),
    mcpSessions: () => mcp.sessions(),
    queueBytes: parts.queued,
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

/** The agents that come over HTTP, each with its own share of the thread. */
function openAgents(
  current: CurrentConfig,
  { agents, overrides, context: { clock, log } }: HttpParts,
): McpHttp {
  const scheduler = createScheduler({ now: () => performance.now(), soon: (run) => void setImmediate(run) })
  return createMcpHttp({
    openAgent: (person) =>
      agents.open(person, { signal: untilExpiry(person, clock), account: scheduler.open() }),
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
