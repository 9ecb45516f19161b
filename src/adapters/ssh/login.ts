import type { AuthContext, Connection as SshClient, PublicKeyAuthContext } from 'ssh2'
import { InviteRefusal, NameRefusal, Refusal, StorageError } from '../../chat/errors.ts'
import type { Person, PersonId } from '../../chat/people/person.ts'
import { Quota, takeAll, type Release } from '../../lib/quota.ts'
import type { ClientHandler, OfferedKey } from '../../session/ports.ts'
import type { Slot, SshLimits } from './admission.ts'
import type { Connection } from './connection.ts'
import { CodePrompt, type LoginOutcome } from './invite-code.ts'
import { readLoginKey } from './keys/public-key.ts'

export interface Identified {
  readonly person: Person
  /** The reason why this person may do nothing, as shown to them; absent if they have access. */
  readonly refusal?: string
}

/** Attempts allowed in addition to two per key, for other methods, codes and repeated keys. */
const EXTRA_ATTEMPTS = 12

/**
 * Logs in a person with a public key, and a newcomer with a key and an invite code. For all other failures (a
 * weak key, a bad signature, a refused name) the client gets the same answer: it may go on with `publickey`.
 */
export function handleLogin(client: SshClient, connection: Connection): void {
  const { keys_offered: maxKeys } = connection.context.limits
  const codes = new CodePrompt({
    tryCode: (attempt, key, code, isAborted) => tryLogin(attempt, { key, code, isAborted }, connection),
    onUnknownKey: () => connection.onUnknownKey(),
    afterWrongCode: () => connection.afterWrongCode(),
  })
  const offered = new Set<string>()
  let attempts = 0
  client.on('authentication', (attempt) => {
    attempts++
    if (attempt.method === 'publickey') offered.add(attempt.key.data.toString('base64'))
    // A client first asks whether a key is acceptable and then signs: two requests per key.
    if (offered.size > maxKeys || attempts > 2 * maxKeys + EXTRA_ATTEMPTS)
      return connection.drop('too many login attempts')
    if (attempt.method === 'publickey') void answerKey(attempt, codes, connection)
    else if (attempt.method === 'keyboard-interactive') codes.ask(attempt)
    else codes.reject(attempt)
  })
}

async function answerKey(
  attempt: PublicKeyAuthContext,
  codes: CodePrompt,
  connection: Connection,
): Promise<void> {
  const { address, context } = connection
  const cas = context.cas()
  const { name, code } = splitUser(attempt)
  const use = { name, address, at: context.now(), cas }
  const key = readLoginKey(attempt, use, (why) => logLogin(connection, { why }, 'key'))
  if (!key || codes.isWaitingFor(key)) return codes.reject(attempt)
  if (!attempt.signature) return askForSignature(attempt)
  if (!key.proves(attempt)) return codes.reject(attempt)
  const mayFollow = !key.isCertified && cas.length > 0 ? 'certificate' : 'keys'
  const offered: OfferedKey = codes.isLast(key) ? key : { ...key, mayFollow }
  const outcome = await tryLogin(attempt, { key: offered, code, isAborted: () => false }, connection)
  if (outcome === 'refused') codes.reject(attempt)
  else if (outcome instanceof InviteRefusal) await codes.rejectKey(attempt, key, outcome)
}

/**
 * Accepts a key so that the client signs. ssh2 names `ssh-rsa` for every RSA key, but OpenSSH 10.6
 * disconnects unless the answer names its own algorithm (RFC 8332, 3.2).
 */
function askForSignature(attempt: PublicKeyAuthContext): void {
  if (attempt.hashAlgo !== undefined) attempt.key.algo = attempt.hashAlgo.replace('sha', 'rsa-sha2-')
  attempt.accept()
}

interface Credentials {
  readonly key: OfferedKey
  readonly code: string | undefined
  readonly isAborted: () => boolean
}

/**
 * Logs in with a key, code or certificate. Never rejects. The client may have disconnected after each await.
 */
async function tryLogin(
  attempt: AuthContext,
  { key, code, isAborted }: Credentials,
  connection: Connection,
): Promise<LoginOutcome> {
  try {
    const login = await identify(splitUser(attempt).name, key, code, connection)
    if (connection.isGone() || isAborted()) return 'gone'
    if (login === 'refused' || login instanceof InviteRefusal) return login
    connection.loggedIn(login, key)
    // The login of a connection beyond a limit succeeds, so that its first channel can show the reason.
    const facts = { person: login.person.name, key: key.fingerprint, why: connection.refusal }
    const refused = connection.refusal === undefined ? undefined : 'limit'
    if (login.refusal === undefined) logLogin(connection, facts, refused)
    attempt.accept()
    return 'in'
  } catch (error) {
    connection.context.log.error({ address: connection.address, error }, 'login failed')
    connection.drop('login failed')
    return 'gone'
  }
}

/** Splits `bob+CODE` into the name `bob` and an invite code; no name contains a plus sign. */
function splitUser({ username }: AuthContext): { readonly name: string; readonly code?: string } {
  const plus = username.indexOf('+')
  return plus < 0 ? { name: username } : { name: username.slice(0, plus), code: username.slice(plus + 1) }
}

/**
 * Resolves to `refused` for a failed login, which tells the client nothing, with three exceptions for any
 * name:
 *
 * 1. An unknown key is asked for a code.
 * 2. If the store fails, every login succeeds, and each channel shows the error and runs nothing.
 * 3. A key that may log in under another name succeeds likewise, and its channels say that this name is
 * refused.
 */
async function identify(
  name: string,
  key: OfferedKey,
  code: string | undefined,
  connection: Connection,
): Promise<Identified | InviteRefusal | 'refused'> {
  const { address, context } = connection
  const { handler, log, countLogin } = context
  try {
    return { person: await handler.identify(name, key, address, code) }
  } catch (error) {
    const facts = { address, key: key.fingerprint }
    if (error instanceof Refusal)
      logLogin(connection, { key: key.fingerprint, why: error.message }, reasonOf(error))
    else if (error instanceof StorageError && error.reason === 'away')
      log.warn({ ...facts, why: error.message }, 'login failed')
    else log.error({ ...facts, error }, 'login failed')
    if (!(error instanceof Refusal)) countLogin('trouble')
    if (error instanceof InviteRefusal) return error
    if (error instanceof NameRefusal)
      return notServed(key, `You cannot come in under this name: ${error.message}. Log in as ssh NAME@…`)
    return error instanceof StorageError
      ? notServed(key, `You cannot come in now: ${error.message}.`)
      : 'refused'
  }
}

/**
 * The reason of a refused login: `key` (too weak, or a bad certificate), `code` (a missing or wrong invite
 * code), `name`, `denied` (a ban, or a server closed to this person), `limit` (too many connections),
 * `trouble` (the store failed).
 */
export type LoginRefusal = 'key' | 'code' | 'name' | 'denied' | 'limit' | 'trouble'

function logLogin({ address, context }: Connection, facts: object, refused?: LoginRefusal): void {
  context.log.info({ address, ...facts }, refused === undefined ? 'login' : 'login refused')
  context.countLogin(refused)
}

function reasonOf(error: Refusal): LoginRefusal {
  if (error instanceof NameRefusal) return 'name'
  if (!(error instanceof InviteRefusal)) return 'denied'
  return error.reason === 'no-name' ? 'name' : 'code'
}

const notServed = ({ fingerprint }: OfferedKey, refusal: string): Identified => ({
  person: { id: `unknown:${fingerprint}` as PersonId, name: 'unknown', admin: false, guest: true },
  refusal,
})

type QuotaLimits = Pick<SshLimits, 'connections_per_person' | 'exec_per_person' | 'exec_per_address'>

/**
 * Limits connections and commands of each person and key. Each server of a cluster allows its fraction of a
 * limit.
 */
export class Quotas {
  readonly #limits: QuotaLimits
  readonly #servers: NonNullable<ClientHandler['servers']>
  readonly #connections = new Quota(() => this.#limits.connections_per_person)
  readonly #commands = new Quota(() => this.#limits.exec_per_person)

  constructor(limits: QuotaLimits, handler: Pick<ClientHandler, 'servers'>) {
    this.#limits = limits
    this.#servers = (kind, id) => handler.servers?.(kind, id) ?? 1
  }

  /**
   * Takes a connection's place in the limits of its person, key and address. Returns the reason if there is
   * none. A refused login takes no place.
   */
  admit(
    { person, refusal }: Identified,
    { fingerprint }: OfferedKey,
    slot: Pick<Slot, 'loggedIn' | 'refused'>,
  ): Release | { readonly refusal: string } {
    const limit = this.#limits.connections_per_person
    const place = (kind: 'person' | 'key', id: string) => this.#place(this.#connections, kind, id, limit)
    const release =
      refusal === undefined ? takeAll(place('person', person.id), place('key', fingerprint)) : undefined
    if (!release) {
      slot.refused()
      return { refusal: refusal ?? tooManyConnections(limit) }
    }
    if (slot.loggedIn()) return release
    release()
    return { refusal: 'Too many connections come from your address; try again in a while.' }
  }

  /** Counts one more command; undefined if that would exceed a limit. */
  takeCommand({ id, login }: Person): Release | undefined {
    const { exec_per_person: own, exec_per_address: ofNetwork } = this.#limits
    const places = [this.#place(this.#commands, 'person', id, own)]
    if (login)
      places.push(
        this.#place(this.#commands, 'key', login.key, own),
        this.#place(this.#commands, 'network', login.network, ofNetwork),
      )
    return takeAll(...places)
  }

  #place(
    quota: Quota,
    kind: 'person' | 'key' | 'network',
    id: string,
    limit: number,
  ): readonly [Quota, string, number] {
    return [quota, `${kind} ${id}`, Math.max(1, Math.floor(limit / this.#servers(kind, id)))]
  }
}

const tooManyConnections = (limit: number): string =>
  `You have ${limit} connections already, under this name or with this key, and may not have more; close one of them.`
