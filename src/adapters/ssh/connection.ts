import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connection } from 'ssh2'
import { createTokenBucket, type Rate } from '../../lib/token-bucket.ts'
import type { Admitted } from './admission/admission.ts'
import { applyBackPressure } from './back-pressure.ts'
import { retrySending, type Carrier } from './carrier.ts'
import type { ConnectionContext } from './connection-context.ts'
import { answerLogin } from './login.ts'
import { paceInput } from './paced-input.ts'
import { servePerson, type Served } from './person-connection.ts'
import { guardClient, parserFault } from './ssh2-internals.ts'

/** A connection, to the server. */
export interface ServedConnection {
  /** Hangs up once all channels have ended, and at once before the login. */
  stop(): void
  drop(why: string): void
}

/** Speaks SSH on one socket until it is closed. `admitted` is told of its login and its first channel. */
export function serveConnection(
  socket: Socket,
  { address, isKnown }: { readonly address: string; readonly isKnown: boolean },
  context: ConnectionContext,
  admitted: Pick<Admitted, 'loggedIn' | 'used' | 'wrongCode'>,
): ServedConnection {
  const { handler, log, limits, entrance } = context
  const drop = (why: string): void => {
    if (!socket.destroyed) log.info({ address, why }, 'connection dropped')
    socket.destroy()
  }
  const account = context.scheduler.open()
  const carrier: Carrier = { socket, account, waiting: new Set(), channels: new Set(), drop }
  const deadlineIn = (seconds: number) => setTimeout(() => drop('no login in time'), seconds * 1_000)
  let deadline = deadlineIn(limits.login_timeout_s)
  let served: Served | undefined
  socket.once('close', () => {
    clearTimeout(deadline)
    served?.close()
  })
  entrance.greet(socket, !isKnown, (client) => {
    // After an error ssh2's object is unusable and would throw from its keepalive timer.
    client.on('error', (error) => drop(error.message))
    watchClient(client, carrier)
    const { keys_offered: keysOffered } = limits
    answerLogin(client, {
      client: { address, keysOffered, cas: entrance.cas, isGone: () => socket.destroyed },
      handler,
      log,
      onStranger() {
        clearTimeout(deadline)
        deadline = deadlineIn(limits.code_timeout_s)
      },
      afterWrongCode: () => wait(admitted.wrongCode()),
      onGiveUp: () => drop('too many login attempts'),
      onPerson(login, key) {
        clearTimeout(deadline)
        admitted.loggedIn()
        client.once('session', () => admitted.used())
        served = servePerson(client, { ...login, key, address }, carrier, context)
      },
    })
  })
  return { stop: () => (served ? served.stop() : drop('server stops')), drop }
}

/** How often a client may exchange keys: each exchange costs the server a signature. */
const REKEY_RATE: Rate = { burst: 8, everyMs: 10_000 }

/** Takes input in pieces, and looks after what ssh2 does not. */
function watchClient(client: Connection, carrier: Carrier): void {
  const { socket, account, drop } = carrier
  const mayRekey = createTokenBucket(REKEY_RATE, () => performance.now())
  client.on('rekey', () => {
    if (!mayRekey()) drop('exchanges keys too often')
    retrySending(carrier)
  })
  socket.on('drain', () => retrySending(carrier))
  const brake = applyBackPressure(socket)
  let parse = (_piece: Buffer): void => undefined
  const { take, close } = paceInput(account, {
    ...brake,
    feed(piece) {
      try {
        parse(piece)
      } catch (error) {
        drop(parserFault(error))
      }
    },
  })
  socket.once('close', close)
  guardClient(client, {
    onFault: drop,
    onWindowGrown: () => retrySending(carrier),
    onInput(bytes, feed) {
      parse = feed
      take(bytes)
    },
  })
}
