import type { Socket } from 'node:net'
import ssh2 from 'ssh2'
import type { Connection } from 'ssh2'
import { algorithms } from './algorithms.ts'
import type { HostKey } from './host-key.ts'
import { serveChannels } from './logged-in.ts'
import type { PersonHouse } from './logged-in.ts'
import { answerLogin } from './login.ts'
import { keepPace } from './pace.ts'
import { guardWindow } from './ssh2-internals.ts'

/** What all connections share. */
export interface ConnectionHouse extends PersonHouse {
  readonly hostKeys: readonly HostKey[]
  /** Shown before the login; empty for none. */
  readonly banner: string
}

/** A dead peer is noticed after 45 s: two unanswered keepalives are forgiven, the third is not. */
const keepalive = { keepaliveInterval: 15_000, keepaliveCountMax: 2 }

/** Speaks SSH on one socket until it is closed. `onLogin` is called when somebody is let in. */
export function serveConnection(
  socket: Socket,
  address: string,
  house: ConnectionHouse,
  onLogin: () => void,
): void {
  const { hostKeys, banner, log } = house
  const drop = (why: string): void => {
    if (!socket.destroyed) log.info({ address, why }, 'connection dropped')
    socket.destroy()
  }
  const letIn = limitWaiting(socket, house, drop)
  // One ssh2 server for each socket, so that we know which socket a client is on.
  const server = new ssh2.Server({
    hostKeys: hostKeys.map(({ pem }) => pem),
    algorithms,
    ...(banner === '' ? {} : { banner: banner.trimEnd() }),
    ident: 'sshawl',
    ...keepalive,
  })
  server.on('connection', (client) =>
    welcome(client, socket, address, house, drop, () => {
      letIn()
      onLogin()
    }),
  )
  server.on('error', (error: Error) => drop(error.message))
  server.injectSocket(socket)
  keepPace(socket)
}

/** Until the function returned is called, the connection ends at the login timeout and at once when the server stops. */
function limitWaiting(socket: Socket, house: ConnectionHouse, drop: (why: string) => void): () => void {
  const deadline = setTimeout(() => drop('no login in time'), house.limits.login_timeout_s * 1000)
  const stop = (): void => drop('server stops')
  house.closing.addEventListener('abort', stop, { once: true })
  const letIn = (): void => {
    clearTimeout(deadline)
    house.closing.removeEventListener('abort', stop)
  }
  socket.once('close', letIn)
  return letIn
}

function welcome(
  client: Connection,
  socket: Socket,
  address: string,
  house: ConnectionHouse,
  drop: (why: string) => void,
  onLogin: () => void,
): void {
  // After an error ssh2's object is unusable and would throw from its keepalive timer.
  client.on('error', (error) => drop(error.message))
  guardWindow(client, () => drop('sent more than the channel window'))
  answerLogin(client, {
    door: house.door,
    address,
    keysOffered: house.limits.keys_offered,
    log: house.log,
    isGone: () => socket.destroyed,
    onGiveUp: () => drop('too many login attempts'),
    onPerson(person) {
      onLogin()
      serveChannels(client, socket, person, house, drop)
    },
  })
}
