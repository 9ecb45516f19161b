import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { StorageError } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { Log } from '../../base/environment.ts'
import type { Account } from '../../base/jobs/scheduler.ts'
import { connectionOf } from './connection.ts'
import { clientAddress, type RequestCheckSettings } from './gate.ts'
import { readBody, serveMcp } from './mcp-exchange.ts'
import { postedText } from './posted-text.ts'

/** The redirect URI of OAuth logins at other servers. */
export const LOGIN_PATH = '/oauth/callback'

export interface HttpHandler {
  /**
   * Resolves to undefined for a wrong token, in about the same time as for a right one. Rejects with
   * `StorageError`.
   */
  identify(token: string, address: string): Promise<Person | undefined>
  /** Resolves to the reason why the server cannot serve anybody now, or undefined. Never rejects. */
  whyNotReady(): Promise<string | undefined>
  metrics(): Promise<{ readonly type: string; readonly text: string }>
  mayReadMetrics(person: Person): boolean
  /** Posts a message to a room. Resolves to the HTTP status and a sentence. Rejects with `StorageError`. */
  say(
    person: Person,
    line: { readonly room: string; readonly text: string; readonly signal: AbortSignal },
  ): Promise<{ readonly status: 200 | 403 | 404 | 429 | 500 | 503; readonly text: string }>
  /** Serves an MCP request. Aborting the request ends its stream. */
  mcp(request: Request, person: Person): Promise<Response>
  /** Finishes an OAuth login with the query of its redirect. Never rejects. */
  handleLoginRedirect(answer: URLSearchParams): Promise<{ readonly status: number; readonly text: string }>
}

export interface HttpServerOptions {
  /** Keys of `[limits]` (docs/security.md): bytes and seconds. */
  readonly limits: Readonly<
    Record<'connections' | 'connections_per_address' | 'http_body_bytes' | 'queue_bytes', number> &
      Record<'http_request_s' | 'http_idle_s' | 'stall_s', number>
  >
  readonly settings: () => RequestCheckSettings
  readonly visitors: {
    /** Counts a wrong token. Returns the delay of its answer in ms. */
    failed(address: string): number
    /** Returns the network of an address: one IPv6 client has many addresses. */
    networkOf(address: string): string
  }
  readonly handler: HttpHandler
  /** Returns the scheduler account of a key: a network or a person's ID. */
  readonly accountOf: (key: string) => Account
  readonly log: Log
}

/** A route with `answerTo` requires a token. */
type Route = {
  readonly path: string | RegExp
  readonly methods: readonly string[]
  /** Served until the server has stopped, for health checks and metrics. */
  readonly isWatched?: true
} & (
  | { answer(request: IncomingMessage, response: ServerResponse): Promise<void> | void }
  | { answerTo(person: Person, request: IncomingMessage, response: ServerResponse): Promise<void> }
)

/** Paths at which MCP clients look for OAuth; they read the answer as JSON. */
const OAUTH_PATH = /^\/(?:\.well-known\/|(?:register|authorize|token)$)/
const NO_OAUTH = JSON.stringify({
  error: 'not_found',
  error_description: 'there is no OAuth here; bring a token of yours: ssh HOST token new makes one',
})

const READ = ['GET', 'HEAD']
const STOPPING = 'the server is stopping'

/**
 * Routes a request. Rejects with the handler's errors other than `StorageError`. A server that is `draining`
 * answers only health checks and metrics; aborting `stopping` ends the delays of wrong tokens.
 */
export function createRoutes(
  options: HttpServerOptions,
  draining: AbortSignal,
  stopping: AbortSignal,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { handler, log, accountOf } = options
  const routes = routesOf(options, draining)
  return async (request, response) => {
    const path = /^\/[^?#]*/.exec(request.url ?? '')?.[0] ?? ''
    const route = routes.find((one) =>
      typeof one.path === 'string' ? one.path === path : one.path.test(path),
    )
    if (!route && OAUTH_PATH.test(path))
      return answer(response, 404, NO_OAUTH, { 'Content-Type': 'application/json' })
    if (!route)
      return answer(response, 404, 'there is /healthz, /readyz, /metrics, /mcp and /rooms/NAME/messages')
    const methods = route.methods.join(', ')
    if (!route.methods.includes(request.method ?? ''))
      return answer(response, 405, `${path} takes ${methods}`, { Allow: methods })
    if (draining.aborted && !route.isWatched) return answer(response, 503, STOPPING, { Connection: 'close' })
    if ('answer' in route) return await route.answer(request, response)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      const person = await identify(request, response, AbortSignal.any([gone.signal, stopping]))
      if (!person) return
      const account = accountOf(person.id)
      connectionOf(request).account = account
      const begun = await account.run(() => ({ done: route.answerTo(person, request, response) }))
      await begun.done
    } catch (error) {
      if (gone.signal.aborted) return
      if (stopping.aborted) return answer(response, 503, STOPPING, { Connection: 'close' })
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, 'an HTTP request found the storage in trouble')
      answer(response, 503, error.message)
    }
  }

  /**
   * Resolves to undefined after a 401 answer (RFC 6750). Only wrong tokens are delayed, so that nobody slows
   * down other people at the same address.
   */
  async function identify(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<Person | undefined> {
    const token = tokenIn(request.headers.authorization)
    const address = clientAddress(request, options.settings().proxies)
    const person = token === undefined ? undefined : await handler.identify(token, address)
    if (person) return person
    const delayMs = token === undefined ? 0 : options.visitors.failed(address)
    if (delayMs > 0) await wait(delayMs, undefined, { signal })
    answer(response, 401, 'bring a token of yours: ssh HOST token new makes one', {
      'WWW-Authenticate': `Bearer realm="sshawl"${token === undefined ? '' : ', error="invalid_token"'}`,
    })
    return undefined
  }
}

/**
 * Returns a Bearer token, or the password of Basic, which programs send if they are configured with only a
 * URL.
 */
function tokenIn(authorization = ''): string | undefined {
  const [, scheme = '', value] = /^(basic|bearer) +(\S+)$/i.exec(authorization) ?? []
  if (value === undefined || /bearer/i.test(scheme)) return value
  const pair = Buffer.from(value, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1) || undefined
}

function routesOf(
  { handler, limits, accountOf }: HttpServerOptions,
  draining: AbortSignal,
): readonly Route[] {
  return [
    {
      path: '/healthz',
      methods: READ,
      isWatched: true,
      answer: (_asked, response) => answer(response, 200, 'ok'),
    },
    {
      path: '/readyz',
      methods: READ,
      isWatched: true,
      async answer(_asked, response) {
        const why = draining.aborted ? STOPPING : await handler.whyNotReady()
        if (why === undefined) answer(response, 200, 'ready')
        else answer(response, 503, why, { 'Retry-After': '5' })
      },
    },
    {
      path: '/metrics',
      methods: READ,
      isWatched: true,
      async answerTo(person, _request, response) {
        if (!handler.mayReadMetrics(person))
          return answer(response, 403, 'only a token of an admin, for all rooms, reads the metrics')
        const { type, text } = await handler.metrics()
        answer(response, 200, text.trimEnd(), { 'Content-Type': type })
      },
    },
    {
      path: LOGIN_PATH,
      methods: ['GET'],
      async answer({ url = '' }, response) {
        const { status, text } = await handler.handleLoginRedirect(
          new URLSearchParams(/\?(.*)/.exec(url)?.[1] ?? ''),
        )
        answer(response, status, text, { 'Referrer-Policy': 'no-referrer' })
      },
    },
    {
      path: /^\/mcp\/?$/,
      methods: ['GET', 'POST', 'DELETE'],
      async answerTo(person, request, response) {
        const body = request.method === 'POST' ? await bodyOf(request, response, limits) : null
        const call = (asked: Request) => handler.mcp(asked, person)
        if (body !== undefined)
          await serveMcp(request, response, body, call, limits.queue_bytes, accountOf(person.id))
      },
    },
    {
      path: /^\/rooms\/[^/]+\/messages$/,
      methods: ['POST'],
      async answerTo(person, request, response) {
        const body = await bodyOf(request, response, limits)
        if (!body) return
        const posted = postedText(body.toString('utf8'), request.headers['content-type'])
        if ('problem' in posted) return answer(response, 400, posted.problem)
        const gone = new AbortController()
        response.once('close', () => gone.abort())
        const [, , room = ''] = (request.url ?? '').split('/')
        const { status, text } = await handler.say(person, { room, text: posted.text, signal: gone.signal })
        answer(response, status, text, status === 429 ? { 'Retry-After': '5' } : {})
      },
    },
  ]
}

/**
 * Resolves to undefined if the body is too long and was answered with 413. Rejects if the client disconnects
 * early.
 */
async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  { http_body_bytes: most }: Pick<HttpServerOptions['limits'], 'http_body_bytes'>,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const body = await readBody(request, most)
  if (body !== 'too long') return body
  answer(response, 413, `a request may have ${most} bytes; send less at once`, { Connection: 'close' })
  return undefined
}

/** Answers with a line of text. Closes the connection if the request's body is unread. */
export function answer(
  response: ServerResponse,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const body = `${text}\n`
  const { complete, headers, method } = response.req
  const isUnread =
    !complete && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(isUnread ? { Connection: 'close' } : {}),
    ...more,
  })
  response.end(method === 'HEAD' ? undefined : body)
}
