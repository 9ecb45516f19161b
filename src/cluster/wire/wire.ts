// cluster/wire carries short texts between servers that share a database: over NATS if `[bus]` names one,
// else over PostgreSQL's LISTEN and NOTIFY. It must not know what the texts say. It stores and encrypts
// nothing: the database and the NATS account belong to the servers alone.
import { setTimeout as delay } from 'node:timers/promises'
import type { Wire } from '../stores.ts'
import type { Log } from '../../base/environment.ts'
import { errorCode, errorMessage } from '../../base/errors.ts'
import type { BusConfig } from './config.ts'
import type { Connection, Engine } from './engine.ts'

type Listener = (text: string) => void

/** Pauses in ms double with each failed attempt, until a connection lasts `STEADY_MS`. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const STEADY_MS = 30_000

/**
 * Resolves after the first attempt to connect; never rejects. The wire reconnects until it is disposed of.
 * `storageUrl` is the shared PostgreSQL database; neither URL is ever logged.
 */
export async function openWire(options: {
  readonly bus: BusConfig | undefined
  readonly storageUrl: string
  readonly log: Log
}): Promise<Wire> {
  const wire = new ReconnectingWire(await engineOf(options.bus, options.storageUrl, options.log), options.log)
  await wire.open()
  return wire
}

/** Sends itself one text. Resolves to the reason if that fails, without secrets. */
export async function busProblem(bus: BusConfig, log: Log): Promise<string | undefined> {
  const engine = await engineOf(bus, '', log)
  let isReceived = false
  try {
    const connection = await engine.connect(() => (isReceived = true))
    connection.subscribe('check')
    connection.send('check', 'check')
    await connection.close()
  } catch (error) {
    return `${engine.name} cannot be used: ${reasonOf(error)}`
  }
  return isReceived
    ? undefined
    : `${engine.name} delivers no message under ${bus.prefix}.>: look at the permissions of the user`
}

/** Loads only the package of the engine in use. */
const engineOf = async (bus: BusConfig | undefined, storageUrl: string, log: Log): Promise<Engine> =>
  bus
    ? (await import('./nats.ts')).createNats(bus, log)
    : (await import('./notify.ts')).createNotify(storageUrl)

/** If several addresses fail, the error has no message. */
const reasonOf = (error: unknown): string =>
  errorMessage(error) || (errorCode(error) ?? 'no reason was given')

class ReconnectingWire implements Wire {
  readonly #engine: Engine
  readonly #log: Log
  readonly #listeners = new Map<string, Set<{ readonly call: Listener }>>()
  readonly #stopping = new AbortController()
  #connection: Connection | undefined
  #closing: Promise<void> | undefined
  #isAwayLogged = false

  constructor(engine: Engine, log: Log) {
    this.#engine = engine
    this.#log = log
  }

  get maxBytes(): number {
    return (this.#connection ?? this.#engine).maxBytes
  }

  isUp = (): boolean => this.#connection !== undefined

  send(subject: string, text: string): void {
    this.#connection?.send(subject, text)
  }

  hear(subject: string, listener: Listener): () => void {
    const entry = { call: listener }
    const listeners = this.#listeners.get(subject) ?? new Set()
    this.#listeners.set(subject, listeners.add(entry))
    if (listeners.size === 1) this.#connection?.subscribe(subject)
    return () => {
      if (!listeners.delete(entry) || listeners.size > 0) return
      this.#listeners.delete(subject)
      this.#connection?.unsubscribe(subject)
    }
  }

  #deliver(subject: string, text: string): void {
    const listeners = this.#listeners.get(subject) ?? new Set()
    for (const listener of [...listeners]) {
      // An earlier listener may have removed a later one.
      if (!listeners.has(listener)) continue
      try {
        listener.call(text)
      } catch (error) {
        this.#log.error({ error, subject }, 'a listener of the bus threw')
      }
    }
  }

  open(): Promise<void> {
    return new Promise((tried) => void this.#keepConnected(tried))
  }

  async #keepConnected(tried: () => void): Promise<void> {
    const { signal } = this.#stopping
    for (let failures = 0; !signal.aborted; failures++) {
      const began = performance.now()
      const why = await this.#connectOnce(tried)
      if (signal.aborted) return
      if (!this.#isAwayLogged)
        this.#log.warn(
          { engine: this.#engine.name, why },
          'the bus is down; lines of other servers are shown up to a second later',
        )
      this.#isAwayLogged = true
      if (performance.now() - began > STEADY_MS) failures = 0
      // Random, so that servers that lost the same engine do not all reconnect at once.
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2)
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Resolves to the reason when the connection is over. */
  async #connectOnce(tried: () => void): Promise<string> {
    try {
      const connection = await this.#engine.connect((subject, text) => this.#deliver(subject, text))
      if (this.#stopping.signal.aborted) void connection.close()
      else this.#begin(connection)
      tried()
      return await connection.ended
    } catch (error) {
      return reasonOf(error)
    } finally {
      this.#connection = undefined
      tried()
    }
  }

  #begin(connection: Connection): void {
    this.#connection = connection
    for (const subject of this.#listeners.keys()) connection.subscribe(subject)
    if (this.#isAwayLogged) this.#log.info({ engine: this.#engine.name }, 'the bus is up again')
    this.#isAwayLogged = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    this.#closing ??= this.#connection?.close()
    await this.#closing
  }
}
