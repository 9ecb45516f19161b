import type { Socket } from 'node:net'
import type { AuthContext, Connection, PublicKeyAuthContext } from 'ssh2'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { ClientHandler, OfferedKey } from '../../session/ports.ts'
import type { SshLimits } from './limits.ts'
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
  /** Called just before the client learns that it is in. */
  onPerson(person: Person): void
}

/** Until the function returned is called, the connection ends at the login timeout, and at once when the server stops. */
export function limitWaiting(
  socket: Socket,
  { limits, stopping }: { readonly limits: SshLimits; readonly stopping: AbortSignal },
  drop: (why: string) => void,
): () => void {
  const deadline = setTimeout(() => drop('no login in time'), limits.login_timeout_s * 1000)
  const stop = (): void => drop('server stops')
  stopping.addEventListener('abort', stop, { once: true })
  const endWaiting = (): void => {
    clearTimeout(deadline)
    stopping.removeEventListener('abort', stop)
  }
  socket.once('close', endWaiting)
  return endWaiting
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
    const person = await identify(attempt.username, key, options)
    if (options.isGone()) return
    if (!person) return refuse(attempt)
    options.onPerson(person)
    attempt.accept()
  } catch (error) {
    options.log.error({ address: options.address, err: error }, 'login failed')
    options.onGiveUp()
  }
}

async function identify(name: string, key: OfferedKey, options: LoginOptions): Promise<Person | undefined> {
  try {
    return await options.handler.identify(name, key, options.address)
  } catch (error) {
    const facts = { address: options.address, key: key.fingerprint }
    if (error instanceof Refusal) options.log.info({ ...facts, why: error.message }, 'login refused')
    else options.log.error({ ...facts, err: error }, 'login failed')
    return undefined
  }
}

const refuse = (attempt: AuthContext): void => attempt.reject(['publickey'])
