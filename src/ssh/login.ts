import type { AuthContext, Connection as SshClient, PublicKeyAuthContext } from 'ssh2'
import { InviteRefusal, NameRefusal, Refusal, StorageError } from '../words/errors.ts'
import type { PersonId } from '../words/person.ts'
import type { OfferedKey } from '../terminal/index.ts'
import type { ConnectionContext, LoginRefusal } from './context.ts'
import { CodePrompt, type LoginOutcome } from './invite-code.ts'
import { readLoginKey } from './keys/public-key.ts'
import type { IdentifiedPerson } from './quotas.ts'

interface LoginConnection {
  readonly address: string
  readonly context: Pick<ConnectionContext, 'now' | 'limits' | 'cas' | 'handler' | 'countLogin' | 'log'>
  readonly refusal: string | undefined
  isGone(): boolean
  drop(why: string): void
  onUnknownKey(): void
  afterWrongCode(): Promise<void>
  loggedIn(login: IdentifiedPerson, key: OfferedKey): void
}

/** Attempts allowed in addition to two per key, for other methods, codes and repeated keys. */
const EXTRA_ATTEMPTS = 12

/**
 * Logs in a person with a public key, and a newcomer with a key and an invite code. For all other failures (a
 * weak key, a bad signature, a refused name) the client gets the same answer: it may go on with `publickey`.
 */
export function handleLogin(client: SshClient, connection: LoginConnection): void {
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
  connection: LoginConnection,
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

/** Never rejects. The client may have disconnected after each await. */
async function tryLogin(
  attempt: AuthContext,
  { key, code, isAborted }: Credentials,
  connection: LoginConnection,
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
 * 1. An unknown key is asked for a code.
 * 2. If the store fails, every login succeeds, and each channel shows the error and runs nothing.
 * 3. A key that belongs to another name succeeds likewise, and its channels say that this name is refused.
 */
async function identify(
  name: string,
  key: OfferedKey,
  code: string | undefined,
  connection: LoginConnection,
): Promise<IdentifiedPerson | InviteRefusal | 'refused'> {
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
      return refusedPerson(key, `You cannot come in under this name: ${error.message}. Log in as ssh NAME@…`)
    return error instanceof StorageError
      ? refusedPerson(key, `You cannot come in now: ${error.message}.`)
      : 'refused'
  }
}

function logLogin({ address, context }: LoginConnection, facts: object, refused?: LoginRefusal): void {
  context.log.info({ address, ...facts }, refused === undefined ? 'login' : 'login refused')
  context.countLogin(refused)
}

function reasonOf(error: Refusal): LoginRefusal {
  if (error instanceof NameRefusal) return 'name'
  if (!(error instanceof InviteRefusal)) return 'denied'
  return error.reason === 'no-name' ? 'name' : 'code'
}

const refusedPerson = ({ fingerprint }: OfferedKey, refusal: string): IdentifiedPerson => ({
  person: { id: `unknown:${fingerprint}` as PersonId, name: 'unknown', admin: false, guest: true },
  refusal,
})
