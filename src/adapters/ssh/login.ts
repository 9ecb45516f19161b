import type { AuthContext, Connection, PublicKeyAuthContext } from 'ssh2'
import { Refusal, StorageError } from '../../chat/errors.ts'
import type { Fingerprint, Person, PersonId } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { ClientHandler, OfferedKey } from '../../session/ports.ts'
import { readLoginKey } from './public-key.ts'

/** Who decides about a login, and who is told how it went. */
export interface LoginOptions {
  readonly handler: ClientHandler
  readonly address: string
  /** How many different keys a client may offer. */
  readonly keysOffered: number
  readonly log: Log
  /** True once the connection is closed. */
  isGone(): boolean
  /** Called when the client tried too often. */
  onGiveUp(): void
  /** Called just before the client learns that it is in. `key` is the one that it proved. */
  onPerson(identified: Identified, key: Fingerprint): void
}

/** Who came in. */
export interface Identified {
  readonly person: Person
  /** Why they may do nothing, in words for them; absent if they may. */
  readonly refusal?: string
}

/**
 * Lets a person in with a public key and nothing else. Whatever is wrong (no such method, a weak key, a
 * bad signature, a refused name), the client gets the same answer: it may go on with `publickey`.
 */
export function answerLogin(client: Connection, options: LoginOptions): void {
  const offered = new Set<string>()
  let attempts = 0
  client.on('authentication', (attempt) => {
    attempts++
    if (attempt.method === 'publickey') offered.add(attempt.key.data.toString('base64'))
    // A client asks before it signs, so two requests a key, and a few for the methods that we do not have.
    if (offered.size > options.keysOffered || attempts > 2 * options.keysOffered + 4)
      return options.onGiveUp()
    if (attempt.method !== 'publickey') return refuse(attempt)
    void answerKey(attempt, options)
  })
}

async function answerKey(attempt: PublicKeyAuthContext, options: LoginOptions): Promise<void> {
  try {
    const key = readLoginKey(attempt)
    if (!key) return refuse(attempt)
    if (!attempt.signature) return attempt.accept()
    if (!key.proves(attempt)) return refuse(attempt)
    const login = await identify(attempt.username, key, options)
    if (options.isGone()) return
    if (!login) return refuse(attempt)
    options.onPerson(login, key.fingerprint)
    attempt.accept()
  } catch (error) {
    options.log.error({ address: options.address, error }, 'login failed')
    options.onGiveUp()
  }
}

/**
 * A login that fails tells nothing, with one exception: where the store fails, whoever comes is let in, and told that on
 * each channel instead of being served. It is the same for every name and key.
 */
async function identify(
  name: string,
  key: OfferedKey,
  options: LoginOptions,
): Promise<Identified | undefined> {
  try {
    return { person: await options.handler.identify(name, key, options.address) }
  } catch (error) {
    const facts = { address: options.address, key: key.fingerprint }
    if (error instanceof Refusal) options.log.info({ ...facts, why: error.message }, 'login refused')
    else options.log.error({ ...facts, error }, 'login failed')
    return error instanceof StorageError ? notServed(key, error) : undefined
  }
}

const notServed = ({ fingerprint }: OfferedKey, { message }: StorageError): Identified => ({
  person: { id: `unknown:${fingerprint}` as PersonId, name: 'unknown', admin: false, guest: true },
  refusal: `You cannot come in now: ${message}.`,
})

const refuse = (attempt: AuthContext): void => attempt.reject(['publickey'])
