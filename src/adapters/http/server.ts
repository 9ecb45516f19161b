/**
 * adapters/http/ leads from a TCP socket to an answer: server.ts listens, doorkeeper.ts counts connections, gate.ts turns browsers and wrong hosts away, cors.ts
 * tells browsers of the pages that the operator named, routes.ts knows the addresses, bearer.ts who a token belongs to, and exchange.ts reads a body and writes an answer.
 *
 * It must not know rooms, commands, MCP or storage: an `HttpHandler` (handler.ts) says who comes with a token and what they get.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Account } from '../../lib/jobs/scheduler.ts'
import { plain } from './client-address.ts'
import { connectionOf, PacedConnection } from './connection.ts'
import { answerPreflight, isPreflight, letPageRead } from './cors.ts'
import { createDoorkeeper } from './doorkeeper.ts'
import { answer } from './exchange.ts'
import { refusalOf } from './gate.ts'
import type { HttpServerOptions } from './options.ts'
import { createRoutes } from './routes.ts'

/** Listens for HTTP requests and has an `HttpHandler` answer them. */
export interface HttpServer extends AsyncDisposable {
  /** Starts; resolves with the address that was taken (port 0: any). Rejects if it cannot listen there. */
  listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }>
  /** Goes on only for those who watch the server: it is not ready any more, and has its figures. What was asked is answered. */
  drain(): void
  /** Takes nobody any more, and closes all connections within 1 s. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The most that Node reads of a request's first line and headers. */
const HEADER_BYTES = 16 * 1024
/** How often slow requests are looked for, in ms. */
const LOOK_MS = 1_000
/** When the server stops, what is being answered has this time, in ms. */
const GRACE_MS = 1_000

/** Makes a server that does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { settings, log, limits, visitors, accountOf } = options
  const draining = new AbortController()
  const stopping = new AbortController()
  const route = createRoutes(options, { draining: draining.signal, stopping: stopping.signal })
  const server = createServer({ maxHeaderSize: HEADER_BYTES, connectionsCheckingInterval: LOOK_MS })
  // Node drops headers beyond a number without a word; what is too many is refused at the gate.
  server.maxHeadersCount = 0
  const doorkeeper = createDoorkeeper(server, options)
  const [serveHttp] = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    doorkeeper.connected(socket)
    serveHttp?.call(server, new PacedConnection(socket, accountFor(socket)))
  })
  server.on('clientError', (_error: Error, socket: Duplex) => refuseBadRequest(socket))
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void serve(request, response).catch((error: unknown) => {
      log.error({ error }, 'an HTTP request failed')
      if (response.headersSent) response.destroy()
      else answer(response, 500, 'something went wrong on the server; it was logged')
    })
  })

  /** All connections of a network have one account, but those of a proxy, which may be anybody's. */
  function accountFor({ remoteAddress = '', remotePort }: Socket): Account {
    const address = plain(remoteAddress)
    const isProxy = settings().proxies.includes(address)
    return accountOf(isProxy ? `${address} ${remotePort}` : visitors.networkOf(address))
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => response.destroy())
    response.on('error', () => request.destroy())
    const connection = connectionOf(request)
    connection.begin(request, response)
    // Node calls this once nothing has gone out for so long, also not a part of what waits; a quiet stream is no stall.
    response.setTimeout(limits.stall_s * 1_000, () => {
      if (response.writableLength > 0) response.destroy()
    })
    const why = doorkeeper.whyNot(connection.socket)
    if (why !== undefined) return answer(response, 503, why, { Connection: 'close' })
    const refused = refusalOf(request, settings())
    if (refused) return answer(response, refused.status, refused.text)
    letPageRead(request, response)
    if (isPreflight(request)) return answerPreflight(response)
    await route(request, response)
  }

  return {
    async listen(host, port) {
      server.listen(port, host)
      await once(server, 'listening')
      server.on('error', (error) => log.error({ error }, 'cannot accept an HTTP connection'))
      const { address, port: taken } = server.address() as AddressInfo
      return { host: address, port: taken }
    },
    drain: () => draining.abort(),
    async [Symbol.asyncDispose]() {
      draining.abort()
      stopping.abort()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

/** What is no HTTP, or came too slowly. The connection is not used any more. */
function refuseBadRequest(socket: Duplex): void {
  if (!socket.writable || !(socket instanceof PacedConnection) || socket.bytesWritten > 0)
    return void socket.destroy()
  socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
    socket.destroy(),
  )
}
