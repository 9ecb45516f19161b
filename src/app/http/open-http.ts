// What the server has for HTTP: who comes with a token, whether it is ready, its figures, and MCP. This folder joins these with
// adapters/http and decides nothing: what a token is worth is for chat/people, and what an agent may do for its commands.

import type { HttpHandler } from '../../adapters/http/handler.ts'
import { createHttpServer, type HttpServer } from '../../adapters/http/server.ts'
import type { ReadableMeter } from '../../adapters/metrics/meter.ts'
import { networkOf } from '../../adapters/ssh/admission/networks.ts'
import { createVisits } from '../../adapters/ssh/admission/visits.ts'
import type { OpenClients } from '../../chat/moderation/open-clients.ts'
import type { Tokens } from '../../chat/people/tokens.ts'
import type { Turns } from '../../turns/turns.ts'
import type { AppContext } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'
import { createReadiness } from './readiness.ts'

/** What is served over HTTP. */
export interface HttpParts {
  readonly context: Pick<AppContext, 'storage' | 'clock' | 'log'>
  readonly meter: ReadableMeter
  readonly tokens: Pick<Tokens, 'identify'>
  readonly clients: Pick<OpenClients, 'sessions'>
  readonly turns: Pick<Turns, 'running'>
  /** Bytes that wait for clients over SSH. */
  readonly queued: () => number
}

/** Joins the HTTP server with what it serves. It does not listen yet. */
export function openHttp(current: CurrentConfig, parts: HttpParts): HttpServer {
  const { context, meter, clients, turns } = parts
  meter.watch({
    sessions: () => clients.sessions(),
    mcpSessions: () => 0,
    queueBytes: parts.queued,
    turns: () => turns.running().length,
  })
  const visits = createVisits(current.limits)
  return createHttpServer({
    limits: current.limits,
    settings: () => current.now().http,
    visitors: {
      delayOf(address) {
        const network = networkOf(address)
        const { delayMs } = visits.begin(network)
        // Only a wrong token costs something: a program asks often.
        visits.used(network)
        return delayMs
      },
      failed: (address) => visits.failed(networkOf(address)),
    },
    handler: handlerFor(parts),
    log: context.log,
  })
}

const handlerFor = ({ context, meter, tokens }: HttpParts): HttpHandler => ({
  async identify(token, address) {
    return (await tokens.identify(token, { address, network: networkOf(address) }))?.person
  },
  whyNotReady: createReadiness(context.storage.upkeep, () => context.clock.monotonic()),
  metrics: () => meter.read(),
  mayReadMetrics: ({ admin, login }) => admin && login?.token?.rooms === undefined,
})
