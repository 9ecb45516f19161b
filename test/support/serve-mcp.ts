import type { HttpHandler } from '../../src/server/http/routes.ts'
import { createHttpServer, type HttpServer } from '../../src/server/http/server.ts'
import { newAccount } from './shared-by-sessions.ts'
import type { Person, PersonId } from '../../src/words/person.ts'

const PERSON: Person = { id: 'p1' as PersonId, name: 'bob', admin: false, guest: false }

/** What lets a client in. */
export const headers = { authorization: 'Bearer token' }

/** An HTTP server that answers at /mcp so; a client is cut off after `stallS` seconds without reading. */
export async function serveMcp(
  mcp: NonNullable<HttpHandler['mcp']>,
  stallS = 30,
): Promise<Pick<HttpServer, 'drain' | typeof Symbol.asyncDispose> & { readonly port: number }> {
  const server = createHttpServer({
    limits: {
      connections: 10,
      connections_per_address: 10,
      http_body_bytes: 1_000,
      http_request_s: 20,
      http_idle_s: 60,
      queue_bytes: 1_000,
      stall_s: stallS,
    },
    settings: () => ({ hosts: [], origins: [], proxies: [] }),
    visitors: { failed: () => 0, networkOf: (address) => address },
    handler: {
      identify: async () => PERSON,
      whyNotReady: async () => undefined,
      metrics: async () => ({ type: 'text/plain', text: '' }),
      mayReadMetrics: () => false,
      handleLoginRedirect: async () => ({ status: 400, text: '' }),
      say: async () => ({ status: 404, text: '' }),
      mcp,
    },
    accountOf: newAccount,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const { port } = await server.listen('127.0.0.1', 0)
  return { port, drain: () => server.drain(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
