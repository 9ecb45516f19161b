import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A load balancer for TCP in front of a server, on a free port of the loopback. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>

/**
 * Passes connections on to `port`, each with a header before its first byte. `from` is the address of the loopback that
 * the proxy itself has.
 */
export async function startTcpProxy(port: number, header: () => Uint8Array, from = '127.0.0.2') {
  const open = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect({ host: '127.0.0.1', port, localAddress: from })
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      open.add(socket)
      socket
        .on('error', () => socket.destroy())
        .once('close', () => (open.delete(socket), other.destroySoon()))
    }
    server.write(header())
    client.pipe(server).pipe(client)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
