import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What came over a connection until the server closed it, in one text. */
export interface RawAnswer {
  readonly text: string
  readonly statuses: readonly number[]
}

/** A connection on which a test writes bytes of its own. */
export type RawConnection = ReturnType<typeof overSocket>

/** Connects to an HTTP server as no client would. */
export async function rawHttp(base: string): Promise<RawConnection> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return overSocket(socket)
}

function overSocket(socket: Socket) {
  let text = ''
  // The server may close while we still write.
  socket.on('error', () => undefined)
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece))
  const ended = new Promise((resolve) => void socket.once('close', resolve))
  const answer = (): RawAnswer => ({
    text,
    statuses: [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status)),
  })
  return {
    write: (more: string) => void socket.write(more, 'latin1'),
    async until(part: string): Promise<RawAnswer> {
      while (!text.includes(part)) await Promise.race([nextData(socket), closedBefore(ended, part)])
      return answer()
    },
    async closed(): Promise<RawAnswer> {
      await ended
      return answer()
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

const nextData = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => void socket.once('data', resolve))

async function closedBefore(ended: Promise<unknown>, part: string): Promise<never> {
  await ended
  throw new Error(`the server closed the connection before it said ${part}`)
}
