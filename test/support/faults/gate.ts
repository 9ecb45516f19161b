import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Which bytes pass: all, none, or only those of one side. */
export type Passage = 'open' | 'shut' | 'only-out' | 'only-in'

/** A piece of network that can be cut, between a server and what it connects to. */
export type Gate = Awaited<ReturnType<typeof startGate>>

/** A connection's way from one side to the other. */
interface Way {
  readonly from: Socket
  readonly to: Socket
  readonly direction: 'out' | 'in'
  isFlowing: boolean
  hasEnded: boolean
}

/** A gate before a port of the loopback, on a free port. */
export async function startGate(target: number) {
  const ways = new Set<Way>()
  let passage: Passage = 'open'
  const passes = ({ direction }: Way): boolean => passage === 'open' || passage === `only-${direction}`

  /** Gives way the state that the gate has now. */
  function settle(way: Way): void {
    if (!passes(way)) {
      if (!way.isFlowing) return
      way.isFlowing = false
      way.from.unpipe(way.to).pause()
      return
    }
    if (way.hasEnded) {
      ways.delete(way)
      way.to.destroySoon()
    } else if (!way.isFlowing) {
      way.isFlowing = true
      way.from.pipe(way.to)
    }
  }

  function open(from: Socket, to: Socket, direction: Way['direction']): void {
    const way: Way = { from, to, direction, isFlowing: false, hasEnded: false }
    ways.add(way)
    from
      .on('error', () => from.destroy())
      .once('close', () => {
        way.hasEnded = true
        settle(way)
      })
    settle(way)
  }

  const listener = createServer({ allowHalfOpen: false }, (client) => {
    const server = connect({ host: '127.0.0.1', port: target, noDelay: true })
    client.setNoDelay(true)
    open(client, server, 'out')
    open(server, client, 'in')
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    /** Where to connect in the place of what is behind it. */
    port: (listener.address() as AddressInfo).port,
    /**
     * From now on these pass, `out` being what the server sends. Nobody is told of a cut: bytes, and ends of connections, wait until
     * they may pass again, as on a network that loses packets and then carries what is sent again.
     */
    set(next: Passage) {
      passage = next
      for (const way of [...ways]) settle(way)
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close')
      listener.close()
      passage = 'open'
      for (const { from, to } of [...ways]) for (const socket of [from, to]) socket.destroy()
      await closed
    },
  }
}
