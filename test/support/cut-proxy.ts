import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A network between two programs, which can be cut: then nothing passes, and nobody is told. */
export interface CutProxy extends AsyncDisposable {
  readonly port: number
  /** Where connections are passed on to. */
  to: number
  cut(): void
  /** What was sent meanwhile arrives. */
  heal(): void
}

/** On a free port of the loopback. */
export async function startCutProxy(): Promise<CutProxy> {
  const open = new Set<Socket>()
  let isCut = false
  const listener = createServer((client) => {
    const server = connect({ host: '127.0.0.1', port: proxy.to })
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      open.add(socket)
      socket
        .on('error', () => socket.destroy())
        .on('data', (bytes) => void other.write(bytes))
        .once('close', () => (open.delete(socket), other.destroySoon()))
      if (isCut) socket.pause()
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const proxy: CutProxy = {
    port: (listener.address() as AddressInfo).port,
    to: 0,
    cut() {
      isCut = true
      for (const socket of open) socket.pause()
    },
    heal() {
      isCut = false
      for (const socket of open) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
  return proxy
}
