import type { AuthContext, Connection, KeyboardAuthContext, PublicKeyAuthContext } from 'ssh2'
import { InviteRefusal, NameRefusal, Refusal, StorageError } from '../../chat/errors.ts'
import type { Person, PersonId } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { ClientHandler, OfferedKey } from '../../session/ports.ts'
import { createCodeLogin, type CodeLogin, type CodeLoginParts } from './code-login.ts'
import { readLoginKey } from './keys/public-key.ts'

/** Who decides about a login, and who is told how it went. */
export interface LoginOptions extends Pick<CodeLoginParts, 'onStranger' | 'afterWrongCode'> {
  readonly client: LoginClient
  readonly handler: ClientHandler
  readonly log: Log
  /** Called when the client tried too often. */
  readonly onGiveUp: () => void
  /**
   * Counts the connection of whoever came in: resolves to the same, refused where it is one too many. Never
   * rejects.
   */
  readonly countIn: (identified: Identified, key: OfferedKey) => Promise<Identified>
  /** Called just before the client learns that it is in. `key` is the one that it proved. */
  readonly onPerson: (identified: Identified, key: OfferedKey) => void
}

/** Who wants to come in, and what they are held to. */
export interface LoginClient {
  readonly address: string
  /** How many different keys a client may offer. */
  readonly keysOffered: number
  /** Public keys of the CAs whose certificates are trusted, in wire form. */
  readonly cas: () => readonly Buffer[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** True once the connection is closed. */
  readonly isGone: () => boolean
}

/** Who came in. */
export interface Identified {
  readonly person: Person
  /** Why they may do nothing, in words for them; absent if they may. */
  readonly refusal?: string
  /** The connection was counted, and this takes it away again. */
  readonly uncount?: () => void
}

/**
 * Beside two requests for each key: for methods that we do not have, for codes, and for a key that comes
 * again.
 */
const MORE_ATTEMPTS = 12

/**
 * Lets a person in with a public key, and a stranger with a key and an invite code. Whatever else is wrong
 * (no such method, a weak key, a bad signature, a refused name), the client gets the same answer: it may go
 * on with `publickey`.
 */
export function answerLogin(connection: Connection, options: LoginOptions): void {
  const { keysOffered } = options.client
  const offered = new Set<string>()
  const codes = createCodeLogin({
    ...options,
    enter: (attempt, key, code, isAnswered) => enterWithCode(attempt, key, code, { options, isAnswered }),
  })
  let attempts = 0
  connection.on('authentication', (attempt) => {
    attempts++
    if (attempt.method === 'publickey') offered.add(attempt.key.data.toString('base64'))
    // A client asks before it signs, so two requests a key.
    if (offered.size > keysOffered || attempts > 2 * keysOffered + MORE_ATTEMPTS) return options.onGiveUp()
    if (attempt.method === 'publickey') void answerKey(attempt, codes, options)
    else if (attempt.method === 'keyboard-interactive') codes.ask(attempt)
    else refuse(attempt, codes)
  })
}

async function answerKey(
  attempt: PublicKeyAuthContext,
  codes: CodeLogin,
  options: LoginOptions,
): Promise<void> {
  try {
    const { name, code } = splitUser(attempt)
    const { address, cas, now, isGone } = options.client
    const key = readLoginKey(attempt, { name, address, at: now(), cas: cas() }, (why) =>
      options.log.info({ address, why }, 'login refused'),
    )
    if (!key || codes.isFor(key)) return refuse(attempt, codes)
    if (!attempt.signature) return askForSignature(attempt)
    if (!key.proves(attempt)) return refuse(attempt, codes)
    const isPlain = !key.isCertified && cas().length > 0
    const login = await identify(name, isPlain ? { ...key, mayBeCertified: true } : key, code, options)
    if (isGone()) return
    if (login instanceof InviteRefusal) return await codes.refuseKey(attempt, key, login)
    if (!login) return refuse(attempt, codes)
    await letIn(attempt, login, key, { options, isAnswered: () => false })
  } catch (error) {
    fail(error, options)
  }
}

/**
 * ssh2 names `ssh-rsa` here for every RSA key; OpenSSH 10.6 hangs up unless its own algorithm is named (RFC
 * 8332, 3.2).
 */
function askForSignature(attempt: PublicKeyAuthContext): void {
  if (attempt.hashAlgo !== undefined) attempt.key.algo = attempt.hashAlgo.replace('sha', 'rsa-sha2-')
  attempt.accept()
}

/** Resolves to nothing if the person is in, or the client is gone. */
async function enterWithCode(
  attempt: KeyboardAuthContext,
  key: OfferedKey,
  code: string | undefined,
  { options, isAnswered }: UnderWay,
): Promise<InviteRefusal | 'refused' | undefined> {
  try {
    const login = await identify(splitUser(attempt).name, key, code, options)
    if (options.client.isGone() || isAnswered()) return undefined
    if (!login) return 'refused'
    if (login instanceof InviteRefusal) return login
    await letIn(attempt, login, key, { options, isAnswered })
  } catch (error) {
    fail(error, options)
  }
  return undefined
}

/** A login whose client may ask for something else meanwhile. */
interface UnderWay {
  readonly options: LoginOptions
  readonly isAnswered: () => boolean
}

async function letIn(
  attempt: AuthContext,
  login: Identified,
  key: OfferedKey,
  { options: { countIn, onPerson, client }, isAnswered }: UnderWay,
): Promise<void> {
  const counted = await countIn(login, key)
  if (client.isGone() || isAnswered()) return counted.uncount?.()
  onPerson(counted, key)
  attempt.accept()
}

function fail(error: unknown, { log, client, onGiveUp }: LoginOptions): void {
  log.error({ address: client.address, error }, 'login failed')
  onGiveUp()
}

/** `bob+CODE` is the name `bob` with an invite code; no name has a plus sign. */
function splitUser({ username }: AuthContext): { readonly name: string; readonly code?: string } {
  const plus = username.indexOf('+')
  return plus < 0 ? { name: username } : { name: username.slice(0, plus), code: username.slice(plus + 1) }
}

/**
 * A login that fails tells nothing, with three exceptions:
 *
 * 1. A key that nobody has is asked for a code, whatever the name.
 * 2. Where the store fails, everybody is let in, whatever the name and the key; each channel is told so and
 *    is not served.
 * 3. A key that may come in under another name is let in likewise, is told that this name is refused, and is
 *    not served. It makes no difference who has the name.
 */
async function identify(
  name: string,
  key: OfferedKey,
  code: string | undefined,
  { handler, client: { address }, log }: LoginOptions,
): Promise<Identified | InviteRefusal | undefined> {
  try {
    return { person: await handler.identify(name, key, address, code) }
  } catch (error) {
    const facts = { address, key: key.fingerprint }
    if (error instanceof Refusal) log.info({ ...facts, why: error.message }, 'login refused')
    else if (error instanceof StorageError && error.reason === 'away')
      log.warn({ ...facts, why: error.message }, 'login failed')
    else log.error({ ...facts, error }, 'login failed')
    if (error instanceof InviteRefusal) return error
    if (error instanceof NameRefusal) return notServed(key, underThisName(error))
    return error instanceof StorageError ? notServed(key, notNow(error)) : undefined
  }
}

const notServed = ({ fingerprint }: OfferedKey, refusal: string): Identified => ({
  person: { id: `unknown:${fingerprint}` as PersonId, name: 'unknown', admin: false, guest: true },
  refusal,
})

const notNow = ({ message }: StorageError): string => `You cannot come in now: ${message}.`
const underThisName = ({ message }: NameRefusal): string =>
  `You cannot come in under this name: ${message}. Log in as ssh NAME@…`

const refuse = (attempt: AuthContext, codes: CodeLogin): void => attempt.reject(codes.methods())
