/**
 * HTTP: server.ts listens and limits connections, connection.ts divides the thread's time between them,
 * gate.ts refuses browsers and wrong hosts, routes.ts has the paths, mcp-exchange.ts serves /mcp. This folder
 * must not know rooms, commands, MCP or storage, which are behind `HttpHandler`.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Log } from '../../base/environment.ts'
import type { Account } from '../../base/jobs/scheduler.ts'
import { connectionOf, PacedConnection } from './connection.ts'
import { answerPreflight, setCorsHeaders, plainAddress, refusalOf } from './gate.ts'
import { answer, createRoutes, type HttpServerOptions } from './routes.ts'

export type HttpServer = ReturnType<typeof createHttpServer>

/** Limit of a request's first line and headers. */
const HEADER_BYTES = 16 * 1024
const TIMEOUT_CHECK_MS = 1_000
/** Time in ms for a refused connection to send its request and read the reason. */
const REFUSAL_MS = 1_000
/** Refused connections that get an answer at the same time; others are closed without one. */
const MAX_ANSWERED_REFUSALS = 64
/** Time in ms for requests under way when the server stops. */
const GRACE_MS = 1_000

export function createHttpServer(options: HttpServerOptions) {
  const { settings, log, limits, visitors, accountOf } = options
  const draining = new AbortController()
  const stopping = new AbortController()
  const route = createRoutes(options, draining.signal, stopping.signal)
  const server = createServer({ maxHeaderSize: HEADER_BYTES, connectionsCheckingInterval: TIMEOUT_CHECK_MS })
  // 0 disables Node's limit, which silently drops headers; gate.ts refuses requests with too many.
  server.maxHeadersCount = 0
  const countIn = createConnectionCount(options)
  let answeredRefusals = 0
  const [serveHttp] = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    server.headersTimeout = server.requestTimeout = limits.http_request_s * 1_000
    server.keepAliveTimeout = limits.http_idle_s * 1_000
    const refusal = countIn(socket)
    if (refusal !== undefined) {
      if (answeredRefusals >= MAX_ANSWERED_REFUSALS) return void socket.destroy()
      answeredRefusals += 1
      socket.once('close', () => (answeredRefusals -= 1))
      setTimeout(() => socket.destroy(), REFUSAL_MS).unref()
    }
    serveHttp?.call(server, new PacedConnection(socket, accountFor(socket), refusal))
  })
  server.on('clientError', (_error: Error, socket: Duplex) => refuseBadRequest(socket))
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void serve(request, response).catch((error: unknown) => {
      log.error({ error }, 'an HTTP request failed')
      if (response.headersSent) response.destroy()
      else answer(response, 500, 'something went wrong on the server; it was logged')
    })
  })

  /** Connections of a network share an account. Each connection of a proxy has its own. */
  function accountFor({ remoteAddress, remotePort }: Socket): Account {
    const address = plainAddress(remoteAddress)
    const isProxy = settings().proxies.includes(address)
    return accountOf(isProxy ? `${address} ${remotePort}` : visitors.networkOf(address))
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => response.destroy())
    response.on('error', () => request.destroy())
    logAnswer(request, response, log)
    const connection = connectionOf(request)
    connection.begin(request, response)
    // Called after `stall_s` without a byte sent. A stream with nothing to send is not stalled.
    response.setTimeout(limits.stall_s * 1_000, () => {
      if (response.writableLength > 0) response.destroy()
    })
    const { refusal } = connection
    if (refusal !== undefined) return answer(response, 503, refusal, { Connection: 'close' })
    const refused = refusalOf(request, settings())
    if (refused) return answer(response, refused.status, refused.text)
    setCorsHeaders(request, response)
    if (!answerPreflight(request, response)) await route(request, response)
  }

  return {
    /** Resolves to the address in use (port 0: any free port). Rejects if it cannot listen there. */
    async listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
      server.listen(port, host)
      await once(server, 'listening')
      server.on('error', (error) => log.error({ error }, 'cannot accept an HTTP connection'))
      const { address, port: actual } = server.address() as AddressInfo
      return { host: address, port: actual }
    },
    /** Answers only health checks and metrics from now on. */
    drain: (): void => draining.abort(),
    /** Closes all connections within 1 s. */
    async [Symbol.asyncDispose](): Promise<void> {
      draining.abort()
      stopping.abort()
      if (server.listening) await close(server)
    },
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearTimeout(timer)
}

/** Logs a request without its query and room name, which may be secret, and without unknown paths. */
function logAnswer(request: IncomingMessage, response: ServerResponse, log: Log): void {
  const since = performance.now()
  const known = /^\/(?:healthz|readyz|metrics|mcp\/?|oauth\/callback|rooms\/[^/?#]+\/messages)(?=[?#]|$)/
  const path = known.exec(request.url ?? '')?.[0].replace(/^\/rooms\/[^/]+/, '/rooms/NAME')
  const address = plainAddress(request.socket.remoteAddress)
  response.once('close', () => {
    const { method } = request
    const ms = Math.round(performance.now() - since)
    log.debug({ address, method, path, status: response.statusCode, ms }, 'an HTTP request ended')
  })
}

/** Answers a request that is malformed or too slow with 400, and closes the connection. */
function refuseBadRequest(socket: Duplex): void {
  if (!socket.writable || !(socket instanceof PacedConnection) || socket.bytesWritten > 0)
    return void socket.destroy()
  socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
    socket.destroy(),
  )
}

/**
 * Returns a function that counts a connection, in total and by its network unless it is a proxy's. The
 * function returns the reason for a refusal if there are too many.
 */
export function createConnectionCount({
  limits,
  visitors,
  settings,
}: Pick<HttpServerOptions, 'limits' | 'visitors' | 'settings'>): (socket: Socket) => string | undefined {
  const open = new Map<string, number>()
  let total = 0
  return (socket) => {
    const address = plainAddress(socket.remoteAddress)
    const network = visitors.networkOf(address)
    const count = open.get(network) ?? 0
    if (count >= limits.connections_per_address && !settings().proxies.includes(address))
      return 'your address has too many connections here; close one of them first'
    if (total >= limits.connections) return 'too many connections; try again later'
    total += 1
    open.set(network, count + 1)
    socket.once('close', () => {
      total -= 1
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
    return undefined
  }
}
