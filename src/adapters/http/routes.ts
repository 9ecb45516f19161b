import type { IncomingMessage, ServerResponse } from 'node:http'
import { StorageError } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import { bearerOf } from './bearer.ts'
import { connectionOf } from './connection.ts'
import { answer } from './exchange.ts'
import { serveMcp } from './mcp.ts'
import { LOGIN_PATH } from './handler.ts'
import type { HttpServerOptions } from './options.ts'

/** Answers one request. */
type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

interface Address {
  readonly methods: readonly string[]
  readonly route: Route
}

/** What those ask who watch the server, to its end. */
const WATCHING: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** What a client reads that comes too late. */
const STOPPING = 'the server is stopping'

/** How far the server is towards its end: only those who watch it are served, and then nobody waits any more. */
interface Ending {
  readonly draining: AbortSignal
  readonly stopping: AbortSignal
}

/** All addresses of the server. */
export function createRoutes(options: HttpServerOptions, { draining, stopping }: Ending): Route {
  const { handler, log, accountOf } = options
  const addresses: Readonly<Record<string, Address>> = {
    '/healthz': reading((_request, response) => answer(response, 200, 'ok')),
    '/readyz': reading(async (_request, response) => {
      const why = draining.aborted ? STOPPING : await handler.whyNotReady()
      if (why === undefined) answer(response, 200, 'ready')
      else answer(response, 503, why, { 'Retry-After': '5' })
    }),
    '/metrics': reading(
      forBearers(async (_request, response, person) => {
        if (!handler.mayReadMetrics(person))
          return answer(response, 403, 'only a token of an admin, for all rooms, reads the metrics')
        const { type, text } = await handler.metrics()
        answer(response, 200, text.trimEnd(), { 'Content-Type': type })
      }),
    ),
    [LOGIN_PATH]: {
      methods: ['GET'],
      async route(request, response) {
        const { status, text } = await handler.cameBack(answerIn(request))
        answer(response, status, text, { 'Referrer-Policy': 'no-referrer' })
      },
    },
    '/mcp': {
      methods: ['GET', 'POST', 'DELETE'],
      route: forBearers((request, response, person) => serveMcp(request, response, person, options)),
    },
  }

  return async (request, response) => {
    const path = /^\/[^?#]*/.exec(request.url ?? '')?.[0] ?? ''
    const found = Object.hasOwn(addresses, path) ? addresses[path] : undefined
    if (!found || (path === '/mcp' && !handler.mcp))
      return answer(response, 404, 'there is /healthz, /readyz, /metrics and /mcp')
    const { methods, route } = found
    if (!methods.includes(request.method ?? ''))
      return answer(response, 405, `${path} takes ${methods.join(', ')}`, { Allow: methods.join(', ') })
    if (draining.aborted && !WATCHING.has(path))
      return answer(response, 503, STOPPING, { Connection: 'close' })
    await route(request, response)
  }

  /** Only for those who bring a token that holds. */
  function forBearers(
    route: (request: IncomingMessage, response: ServerResponse, person: Person) => Promise<void>,
  ): Route {
    return async (request, response) => {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      try {
        const bearer = await bearerOf(request, options, AbortSignal.any([gone.signal, stopping]))
        if ('person' in bearer) {
          const { person } = bearer
          const account = accountOf(person.id)
          connectionOf(request).account = account
          const answered = await account.run(() => ({ done: route(request, response, person) }))
          return await answered.done
        }
        answer(response, 401, 'bring a token of yours: ssh HOST token new makes one', {
          'WWW-Authenticate': bearer.challenge,
        })
      } catch (error) {
        if (gone.signal.aborted) return
        if (stopping.aborted) return answer(response, 503, STOPPING, { Connection: 'close' })
        if (!(error instanceof StorageError)) throw error
        log.warn({ error, reason: error.reason }, 'an HTTP request found the storage in trouble')
        answer(response, 503, error.message)
      }
    }
  }
}

const reading = (route: Route): Address => ({ methods: ['GET', 'HEAD'], route })

/** What stands behind the `?`. */
const answerIn = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
