import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createWeb, type WebOverrides } from '../../src/web/web.ts'
import { paths } from '../../src/base/paths.ts'
import type { PageRequest, Web } from '../../src/tools/web.ts'

/** A server on 127.0.0.1 that plays a site of the public web. */
export type Site = Awaited<ReturnType<typeof listen>>

export const startSite = (serve: RequestListener, tls?: ServerOptions): Promise<Site> =>
  listen(tls ? createTlsServer(tls, serve) : createServer(serve))

/** A server that answers with these very bytes, whatever it is asked, and then says no more. */
export const startBytes = (write: (socket: Socket) => void): Promise<Site> =>
  listen(createTcpServer((socket) => socket.on('error', () => {}).once('data', () => write(socket))))

async function listen(server: Server) {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: (): number => count,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A web in which every name is on this machine, which counts as public here; `change` takes that back. */
export function localWeb(ports: readonly number[], change: WebOverrides = {}): Web {
  return createWeb({ fetch: true, ports }, paths.pageReader, {
    resolve: async () => ['127.0.0.1'],
    allowAddress: (address) => address === '127.0.0.1',
    ...change,
  })
}

export const visit = (web: Web, url: string): PageRequest => web.visit!(url)
