import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connection } from 'ssh2'
import type { Person } from '../../chat/people/person.ts'
import { errorMessage } from '../../lib/errors.ts'
import { createTokenBucket, type Rate } from '../../lib/token-bucket.ts'
import type { Slot } from './admission.ts'
import { createAnswers, type Answers } from './answers.ts'
import { LINGER_MS, resumeSending, type Carrier } from './carrier.ts'
import type { ConnectionContext } from './connection-context.ts'
import { answerLogin } from './login.ts'
import { applyBackPressure, InputQueue } from './input-queue.ts'
import { countIn, servePerson, type Served } from './person-connection.ts'
import { admitPerson } from './admit-person.ts'
import { guardClient, sayWhyDisconnected, watchAnswers } from './ssh2-internals.ts'
import { mendKeyExchanges } from './ssh2-key-exchange.ts'
import { closeGracefully, refuse } from './transport.ts'

/** A connection, to the server. */
export interface ServedConnection {
  /** Ends its sessions, and hangs up once its commands have ended; at once before the login. */
  drain(): void
  /** Hangs up once all channels have ended, which are told to; at once before the login. */
  stop(): void
  drop(why: string): void
}

/** Speaks SSH on one socket until it is closed. */
export function serveConnection(
  socket: Socket,
  address: string,
  context: ConnectionContext,
  slot: Slot,
): ServedConnection {
  const { handler, log, limits, entrance } = context
  let person: Person | undefined
  let served: Served | undefined
  let isDropped = false
  /** Absent until the peer has said that it speaks SSH. */
  let client: Connection | undefined
  const drop = (why: string, lingerMs = 0): void => {
    if (isDropped || socket.destroyed) return
    isDropped = true
    log.info({ address, ...(person && { person: person.name }), why }, 'connection dropped')
    const end = (): void => {
      close()
      if (!client) return refuse(socket, why)
      sayWhyDisconnected(client, why)
      closeGracefully(socket)
    }
    if (lingerMs === 0) return end()
    const timer = setTimeout(end, lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
  const account = context.scheduler.open()
  const answers = createAnswers()
  const carrier: Carrier = {
    socket,
    account,
    waiting: new Set(),
    channels: new Set(),
    whenAcknowledged: answers.ask,
    drop,
  }
  const deadlineIn = (seconds: number) => setTimeout(() => drop('no login in time'), seconds * 1_000)
  let deadline = deadlineIn(limits.login_timeout_s)
  let closeInput = (): void => undefined
  const close = (): void => {
    clearTimeout(deadline)
    closeInput()
    served?.close()
    served = undefined
  }
  socket.once('close', close)
  const onClient = (greeted: Connection): void => {
    if (isDropped) return
    client = greeted
    greeted.on('error', (error) => drop(faultOf(error)))
    closeInput = watchClient(greeted, carrier)
    letAnswer(greeted, answers, carrier)
    const { keys_offered: keysOffered } = limits
    answerLogin(greeted, {
      client: {
        address,
        keysOffered,
        cas: entrance.cas,
        now: entrance.now,
        isGone: () => isDropped || socket.destroyed,
      },
      handler,
      log,
      onStranger() {
        clearTimeout(deadline)
        deadline = deadlineIn(limits.code_timeout_s)
      },
      afterWrongCode: () => wait(slot.wrongCode()),
      onGiveUp: () => drop('too many login attempts'),
      countIn: (login, offered) => countIn({ ...login, offered, address }, context),
      onPerson(login, offered) {
        clearTimeout(deadline)
        person = login.person
        const visitor = admitPerson({ ...login, offered, address }, context, slot)
        const { refusal } = visitor
        if (refusal === undefined) greeted.once('session', () => slot.firstChannel())
        else deadline = setTimeout(() => drop(refusal), REFUSED_MS)
        served = servePerson(greeted, visitor, carrier, context)
      },
    })
  }
  entrance.transport(socket, slot.showBanner, onClient)
  const end = (how: 'drain' | 'stop') => (served ? served[how]() : drop('server stops'))
  return { drain: () => end('drain'), stop: () => end('stop'), drop: (why) => drop(why) }
}

/** Why a connection ended, for the log. */
function faultOf(error: unknown): string {
  if (isTooLong(error)) return 'sent a packet that is garbled, or longer than 35,000 bytes'
  const level = error instanceof Error && 'level' in error ? error.level : undefined
  return level === 'client-timeout'
    ? 'the client did not answer any more'
    : errorMessage(error).slice(0, MAX_SAID)
}

/** ssh2's only limit of a packet (RFC 4253, 6.1) is in its crypto.js. */
const isTooLong = (error: unknown): boolean => errorMessage(error) === 'Bad packet length'

/** So much of what a client says is logged. */
const MAX_SAID = 200

/**
 * So long a client that is refused may take to open a channel and read why: four times the way there and back
 * on a slow line.
 */
const REFUSED_MS = 5_000

/** How often a client may exchange keys: each exchange costs the server a signature. */
const REKEY_RATE: Rate = { burst: 8, everyMs: 10_000 }
const REKEYS_TOO_OFTEN =
  'Keys were exchanged too often: 8 times at once are allowed, and then once in 10 s; raise RekeyLimit in ssh_config, or remove it'

/** What is sent to a client that is gone throws. */
function letAnswer(client: Connection, answers: Answers, { socket }: Carrier): void {
  const ping = watchAnswers(client, { onAsked: answers.asked, onAnswer: answers.answered })
  answers.begin(() => {
    if (socket.writable) ping()
  })
}

const TOO_LONG =
  'nothing was done: a command line can have about 34,000 bytes; pipe a longer text in, as in: ssh HOST say ROOM < FILE'

/**
 * What could not be read was most likely a long command line, for a channel on which nothing was started yet.
 */
const refuseCommands = ({ channels }: Carrier): boolean =>
  [...channels].map((channel) => channel.refuse(TOO_LONG)).includes(true)

/**
 * Takes input in pieces, and looks after what ssh2 does not. Nothing is taken any more once the function
 * returned is called.
 */
function watchClient(client: Connection, carrier: Carrier): () => void {
  const { socket, account, drop } = carrier
  const mayRekey = createTokenBucket(REKEY_RATE, () => performance.now())
  client.on('rekey', () => {
    if (!mayRekey()) drop(REKEYS_TOO_OFTEN)
    resumeSending(carrier)
  })
  socket.on('drain', () => resumeSending(carrier))
  const brake = applyBackPressure(socket)
  let parse = (_piece: Buffer): void => undefined
  let isDeaf = false
  const input = new InputQueue(account, {
    ...brake,
    feed(piece) {
      if (isDeaf) return
      try {
        parse(piece)
      } catch (error) {
        isDeaf = true
        drop(faultOf(error), isTooLong(error) && refuseCommands(carrier) ? LINGER_MS : 0)
      }
    },
  })
  mendKeyExchanges(client)
  guardClient(client, {
    onFault: drop,
    onWindowGrown: () => resumeSending(carrier),
    onInput(bytes, feed) {
      parse = feed
      input.take(bytes)
    },
  })
  return () => input.close()
}
