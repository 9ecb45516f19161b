import type { Socket } from 'node:net'
import type { Connection, Server } from 'ssh2'
import { ALGORITHMS } from './algorithms.ts'
import { signingKey } from './keys/ed25519.ts'
import type { HostKey } from './keys/host-key.ts'
import { socketOf } from './ssh2-internals.ts'
import { ssh2 } from './ssh2.ts'

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const KEEPALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

/** What the server says it is, after `SSH-2.0-`. */
export const IDENT = 'sshawl'

/** Begins to speak SSH on a socket. `onClient` is called once the peer has said that it does so too. */
export type Greet = (socket: Socket, withBanner: boolean, onClient: (client: Connection) => void) => void

/** ssh2's servers, which parse the host keys once. There is one for each banner, because the banner belongs to a server. */
export function createTransports(hostKeys: readonly HostKey[], banner: () => string): Greet {
  const greeted = new WeakMap<Socket, (client: Connection) => void>()
  const servers = new Map<string, Server>()
  const create = (shown: string): Server => {
    const server = new ssh2.Server({
      hostKeys: hostKeys.map(({ pem }) => ({ key: signingKey(pem) })),
      algorithms: ALGORITHMS,
      ...(shown === '' ? {} : { banner: shown }),
      ident: IDENT,
      ...KEEPALIVE,
    })
    server.on('connection', (client) => greeted.get(socketOf(client))?.(client))
    servers.set(shown, server)
    return server
  }
  return (socket, withBanner, onClient) => {
    greeted.set(socket, onClient)
    const shown = withBanner ? banner().trimEnd() : ''
    const server = servers.get(shown) ?? create(shown)
    server.injectSocket(socket)
  }
}
