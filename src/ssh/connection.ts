import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connection as SshClient, Session } from 'ssh2'
import { APOLOGY } from '../words/errors.ts'
import { withLogin, type Person } from '../words/person.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import { networkOf } from '../base/network.ts'
import { Quota, type Release } from '../base/quota.ts'
import { createTokenBucket, type Rate } from '../base/token-bucket.ts'
import type { OfferedKey } from '../terminal/index.ts'
import type { Slot } from './admission.ts'
import { Channel, type Program } from './channel.ts'
import type { ConnectionContext } from './context.ts'
import { applyBackPressure, InputQueue } from './input-queue.ts'
import { handleLogin } from './login.ts'
import { runCommand, runShell } from './programs.ts'
import type { IdentifiedPerson } from './quotas.ts'
import { type Answers, disconnect, guardClient, watchAnswers } from './ssh2/internals.ts'
import { patchKeyExchanges } from './ssh2/key-exchange.ts'
import { closeGracefully, reasonOf, refuse } from './transport.ts'

/** Time for a refused client to open a channel and read the reason: four round trips on a slow line. */
const REFUSED_MS = 5_000

/** Time for a client to disconnect by itself after its channels were closed. */
const LINGER_MS = 500

/** Each key exchange costs the server a signature. */
const REKEY_RATE: Rate = { burst: 8, everyMs: 10_000 }
const REKEYS_TOO_OFTEN =
  'Keys were exchanged too often: 8 times at once are allowed, and then once in 10 s; raise RekeyLimit in ssh_config, or remove it'

/**
 * Channels that a person may open, at once and per second, for each message that they may send: each session
 * is announced to a whole room, but sends more than one message.
 */
const CHANNELS_PER_LINE = 4

/** One socket, from accept to close. */
export class Connection {
  readonly socket: Socket
  readonly address: string
  readonly context: ConnectionContext
  /** Functions to call when more can be sent. A function removes itself when it has nothing left to send. */
  readonly waiting = new Set<() => void>()
  /** The reason why this person may do nothing here, as shown to them; undefined if they have access. */
  refusal: string | undefined
  readonly #slot: Slot
  /** The scheduler account that pays for this connection's input and for its channels' output. */
  readonly account: Account
  readonly #channels = new Map<Channel, Release>()
  readonly #channelQuota: Quota
  readonly #mayOpen: () => boolean
  readonly #jobs = new Set<Promise<void>>()
  /** The number of channels with a running program. */
  #programs = 0
  /** Drops a connection that logs in too slowly, was refused, or runs nothing. */
  #timer: NodeJS.Timeout | undefined
  #client: SshClient | undefined
  #answers: Answers | undefined
  #input: InputQueue | undefined
  #person: Person | undefined
  #release: (() => void) | undefined
  #isDropped = false
  #isStopping = false

  constructor(socket: Socket, address: string, context: ConnectionContext, slot: Slot) {
    const { limits, scheduler, transport } = context
    this.socket = socket
    this.address = address
    this.context = context
    this.#slot = slot
    this.account = scheduler.open()
    this.#channelQuota = new Quota(() => limits.channels_per_connection)
    this.#mayOpen = bucket({
      burst: limits.rate_burst * CHANNELS_PER_LINE,
      everyMs: 1_000 / (limits.rate_per_s * CHANNELS_PER_LINE),
    })
    this.#dropAfter(limits.login_timeout_s * 1_000, 'no login in time')
    socket.once('close', () => this.#close())
    transport(socket, slot.showBanner, (client) => this.#speak(client))
  }

  isGone(): boolean {
    return this.#isDropped || this.socket.destroyed
  }

  /** Closes the connection. Logs `why` and sends it to the client. */
  drop(why: string): void {
    if (this.isGone()) return
    this.#isDropped = true
    const person = this.#person && { person: this.#person.name }
    this.context.log.info({ address: this.address, ...person, why }, 'connection dropped')
    if (this.#client) {
      disconnect(this.#client, why)
      this.#close()
      closeGracefully(this.socket)
    } else {
      this.#close()
      refuse(this.socket, why)
    }
  }

  /** Ends its sessions, and disconnects when its commands have ended; at once before the login. */
  drain(): void {
    this.#end((channel) => channel.drain())
  }

  /** Ends its channels, then disconnects; at once before the login. */
  stop(): void {
    this.#end((channel) => channel.stop())
  }

  /** Calls `listener` when the client has read all bytes sent so far, or never if it disconnects first. */
  whenAcknowledged(listener: () => void): void {
    this.#answers?.ask(listener)
  }

  onUnknownKey(): void {
    this.#dropAfter(this.context.limits.code_timeout_s * 1_000, 'no login in time')
  }

  async afterWrongCode(): Promise<void> {
    await wait(this.#slot.wrongCode())
  }

  /** Called just before the client is told that the login succeeded. */
  loggedIn(login: IdentifiedPerson, key: OfferedKey): void {
    const client = this.#client
    if (!client) return
    const place = this.context.quotas.admit(login, key, this.#slot)
    this.refusal = typeof place === 'function' ? undefined : place.refusal
    const network = networkOf(this.address)
    const { fingerprint, certifiedUntil } = key
    const until = certifiedUntil === undefined ? {} : { certifiedUntil }
    const { localAddress = '', localPort = 22 } = this.socket
    const reachedAt = { host: localAddress.replace(/^::ffff:/, ''), port: localPort }
    const person = withLogin(login.person, { key: fingerprint, network, reachedAt, ...until })
    this.#person = person
    // Set before the client can open a channel.
    client.on('session', (accept, reject) => this.#openChannel(accept, reject))
    if (this.refusal === undefined) {
      client.once('session', () => this.#slot.firstChannel())
      this.#waitForProgram()
    } else this.#dropAfter(REFUSED_MS, this.refusal)
    const forget = this.context.handler.connected?.(person, () => this.#hangUpLater())
    this.#release = () => {
      forget?.()
      if (typeof place === 'function') place()
    }
  }

  /** Called when the peer has sent its SSH version. ssh2 passes the events of a channel to `channel.ts`. */
  #speak(client: SshClient): void {
    if (this.#isDropped) return
    this.#client = client
    const mayRekey = bucket(REKEY_RATE)
    client.on('error', (error) => this.drop(reasonOf(error)))
    client.on('rekey', () => {
      if (!mayRekey()) this.drop(REKEYS_TOO_OFTEN)
      this.#resumeSending()
    })
    this.socket.on('drain', () => this.#resumeSending())
    patchKeyExchanges(client)
    guardClient(client, {
      onFault: (why) => this.drop(why),
      onWindowGrown: () => this.#resumeSending(),
      createInput: (parse) => this.#queueInput(parse),
    })
    this.#answers = watchAnswers(client)
    handleLogin(client, this)
  }

  /** Queues input so that ssh2 parses it in small pieces. Returns the function that receives the input. */
  #queueInput(parse: (piece: Buffer) => void): (bytes: Buffer) => void {
    const feed = (piece: Buffer): void => {
      try {
        parse(piece)
      } catch (error) {
        this.context.log.debug({ address: this.address, error }, 'a packet could not be read')
        this.drop(reasonOf(error))
      }
    }
    const queue = new InputQueue(this.account, { ...applyBackPressure(this.socket), feed })
    this.#input = queue
    return (bytes) => queue.take(bytes)
  }

  #resumeSending(): void {
    for (const pump of [...this.waiting]) pump()
  }

  #openChannel(accept: () => Session, reject: () => void): void {
    const release = this.#isStopping || !this.#mayOpen() ? undefined : this.#channelQuota.take('')
    if (!release) return reject()
    this.#channels.set(new Channel(accept(), this), release)
  }

  /** Called once by each channel. `wasStarted` is true if a program ran on it. */
  closed(channel: Channel, wasStarted: boolean): void {
    this.#channels.get(channel)?.()
    this.#channels.delete(channel)
    if (wasStarted && --this.#programs === 0) this.#waitForProgram()
  }

  run(channel: Channel, program: Program): void {
    const person = this.#person
    if (!person) return
    this.#programs++
    if (this.refusal === undefined) clearTimeout(this.#timer)
    const job =
      program.kind === 'shell'
        ? runShell(channel, person, this, program.room)
        : runCommand(program, channel, person, this)
    const done = job
      .catch((error: unknown) => {
        this.context.log.error({ person: person.name, error }, 'a channel failed')
        this.drop(APOLOGY)
      })
      .finally(() => {
        this.#jobs.delete(done)
        this.context.jobs.delete(done)
      })
    this.#jobs.add(done)
    this.context.jobs.add(done)
  }

  #waitForProgram(): void {
    if (this.refusal !== undefined) return
    this.#dropAfter(this.context.limits.idle_connection_s * 1_000, 'nothing ran on it')
  }

  #dropAfter(ms: number, why: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.drop(why), ms)
  }

  #end(tell: (channel: Channel) => void): void {
    if (!this.#person) return this.drop('server stops')
    for (const channel of [...this.#channels.keys()]) tell(channel)
    this.#hangUpLater()
  }

  /** The client disconnects first, after its channels: it would report a server's disconnect as an error. */
  #hangUpLater(): void {
    this.#isStopping = true
    void Promise.allSettled(this.#jobs).then(() => {
      const timer = setTimeout(() => this.#client?.end(), LINGER_MS)
      this.socket.once('close', () => clearTimeout(timer))
    })
  }

  #close(): void {
    this.#input?.close()
    this.#release?.()
    this.#release = undefined
    for (const channel of [...this.#channels.keys()]) channel.close()
    clearTimeout(this.#timer)
  }
}

const bucket = (rate: Rate): (() => boolean) => createTokenBucket(rate, () => performance.now())
