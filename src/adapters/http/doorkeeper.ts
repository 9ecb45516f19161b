import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { plain } from './client-address.ts'
import type { HttpServerOptions } from './options.ts'

/** Keeps to the limits of now, and to so many connections at once: in all, and from each address that is no proxy. */
export interface Doorkeeper {
  /** To be called for each connection. */
  connected(socket: Socket): void
  /** Why no request of this connection is answered, in words; undefined where they are. */
  whyNot(socket: Socket): string | undefined
}

/** So long a connection that is one too many may take to ask, and is told, in ms. */
const TELL_MS = 1_000
/** So many of those may wait at once; the others are closed without a word. */
const MAX_TOLD = 64

export function createDoorkeeper(
  server: Server,
  { limits, settings, visitors }: HttpServerOptions,
): Doorkeeper {
  const open = new Map<string, number>()
  const refused = new Map<Socket, string>()
  let total = 0

  function count(network: string, change: 1 | -1): void {
    total += change
    const now = (open.get(network) ?? 0) + change
    if (now > 0) open.set(network, now)
    else open.delete(network)
  }

  function refuse(socket: Socket, why: string): void {
    if (refused.size >= MAX_TOLD) return void socket.destroy()
    refused.set(socket, why)
    const timer = setTimeout(() => socket.destroy(), TELL_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      refused.delete(socket)
    })
  }

  return {
    connected(socket) {
      server.headersTimeout = server.requestTimeout = limits.http_request_s * 1_000
      server.keepAliveTimeout = limits.http_idle_s * 1_000
      const address = plain(socket.remoteAddress ?? '')
      const network = visitors.networkOf(address)
      const isCrowded =
        (open.get(network) ?? 0) >= limits.connections_per_address && !settings().proxies.includes(address)
      if (isCrowded)
        return refuse(socket, 'your address has too many connections here; close one of them first')
      if (total >= limits.connections) return refuse(socket, 'too many connections; try again later')
      count(network, 1)
      socket.once('close', () => count(network, -1))
    },
    whyNot: (socket) => refused.get(socket),
  }
}
