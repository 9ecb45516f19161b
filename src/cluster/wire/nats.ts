import { readFileSync } from 'node:fs'
import { setImmediate as endOfTick } from 'node:timers/promises'
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  type Subscription,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import type { Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { settledWithin } from '../../base/jobs/waiting.ts'
import { type BusConfig, HAS_JWT, natsAddress, type NatsAddress, NKEY_SEED } from './config.ts'
import { ANSWER_MS, type Connection, type Engine, HEARTBEAT_MS, MAX_UNDER_WAY } from './engine.ts'

/** NATS's own default. */
const MAX_BYTES = 1024 * 1024
/** Approximate bytes of a message besides its text. */
const HEAD_BYTES = 64
const CLOSE_MS = 1_000

/** Uses publish and subscribe only. */
export function createNats({ url, prefix, credentials }: BusConfig, log: Log): Engine {
  const { servers, isEncrypted, login } = natsAddress(url) ?? { servers: [], isEncrypted: true }
  return {
    name: 'NATS',
    maxBytes: MAX_BYTES,
    async connect(received) {
      const nats = await connect({
        servers: [...servers],
        tls: isEncrypted ? {} : undefined,
        authenticator: credentials === undefined ? byLogin(login) : byFile(credentials, log),
        name: 'sshawl',
        timeout: ANSWER_MS,
        pingInterval: HEARTBEAT_MS,
        maxPingOut: 2,
        // The client would store messages without limit while disconnected; wire.ts reconnects.
        reconnect: false,
      })
      return new NatsLink(nats, prefix, received, log)
    },
  }
}

class NatsLink implements Connection {
  readonly maxBytes: number
  readonly ended: Promise<string>
  readonly #nats: NatsConnection
  readonly #prefix: string
  readonly #received: (subject: string, text: string) => void
  readonly #subscriptions = new Map<string, Subscription>()
  /** Bytes that may not have reached the server yet. */
  #underWay = 0
  #isFlushing = false

  constructor(
    nats: NatsConnection,
    prefix: string,
    received: (subject: string, text: string) => void,
    log: Log,
  ) {
    this.#nats = nats
    this.#prefix = prefix
    this.#received = received
    this.maxBytes = Math.min(MAX_BYTES, nats.info?.max_payload ?? MAX_BYTES)
    const watching = closeIfStale(nats, log)
    this.ended = nats.closed().then(async (error) => (await watching) ?? reasonOf(error))
  }

  send(subject: string, text: string): void {
    const message = Buffer.from(text)
    const bytes = message.length + HEAD_BYTES
    if (message.length > this.maxBytes || this.#underWay + bytes > MAX_UNDER_WAY || this.#nats.isClosed())
      return
    this.#nats.publish(`${this.#prefix}.${subject}`, message)
    this.#underWay += bytes
    if (!this.#isFlushing) this.#flush().catch(() => undefined)
  }

  /** The server answers in order, so output sent before `flush` has arrived when `flush` resolves. */
  async #flush(): Promise<void> {
    this.#isFlushing = true
    while (this.#underWay > 0) {
      await endOfTick()
      const sent = this.#underWay
      await this.#nats.flush()
      this.#underWay -= sent
    }
    this.#isFlushing = false
  }

  subscribe(subject: string): void {
    if (this.#nats.isClosed()) return
    const callback = (error: Error | null, { data }: { readonly data?: Uint8Array }): void => {
      if (!error && data) this.#received(subject, Buffer.from(data).toString())
    }
    this.#subscriptions.set(subject, this.#nats.subscribe(`${this.#prefix}.${subject}`, { callback }))
  }

  unsubscribe(subject: string): void {
    this.#subscriptions.get(subject)?.unsubscribe()
    this.#subscriptions.delete(subject)
  }

  async close(): Promise<void> {
    await settledWithin(CLOSE_MS, [this.#nats.flush()])
    await settledWithin(CLOSE_MS, [this.#nats.close()])
  }
}

/** Resolves at the connection's end, to a reason known only from its status. Logs the first refusal. */
async function closeIfStale(nats: NatsConnection, log: Log): Promise<string | undefined> {
  let isLogged = false
  for await (const status of nats.status()) {
    if (status.type === 'staleConnection') {
      // The client itself would first wait until all output is sent.
      void nats.close()
      return 'it does not answer'
    }
    if (status.type !== 'error' || isLogged) continue
    log.warn({ why: status.error.message }, 'NATS refuses something; look at the permissions of the user')
    isLogged = true
  }
  return undefined
}

const reasonOf = (error: unknown): string => (error ? errorMessage(error) : 'the connection was ended')

function byLogin(login: NatsAddress['login']): Authenticator {
  if (!login) return () => undefined
  return 'token' in login
    ? tokenAuthenticator(login.token)
    : usernamePasswordAuthenticator(login.user, login.pass)
}

/** Reads the file for each connection, because credentials are renewed. */
function byFile(path: string, log: Log): Authenticator {
  return (nonce) => {
    try {
      return credentialsIn(readFileSync(path, 'utf8'))(nonce)
    } catch (error) {
      log.error({ file: path, why: errorMessage(error) }, 'the credentials for NATS cannot be used')
      return undefined
    }
  }
}

function credentialsIn(text: string): Authenticator {
  const bytes = (part: string): Uint8Array => new TextEncoder().encode(part)
  // The package needs a final line end, which a file may lack.
  if (HAS_JWT.test(text)) return credsAuthenticator(bytes(`${text}\n`))
  const [seed] = NKEY_SEED.exec(text) ?? []
  if (seed === undefined) throw new Error('it holds no credentials')
  return nkeyAuthenticator(bytes(seed))
}
