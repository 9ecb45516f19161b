import { readFileSync } from 'node:fs'
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import type { Log } from '../../chat/ports.ts'
import { errorMessage } from '../../lib/errors.ts'
import { type BusConfig, HAS_JWT, NKEY_SEED, type NatsAddress } from './config.ts'

type Login = Pick<NatsAddress, 'login'> & Pick<BusConfig, 'credentials'>

/** How the server proves to NATS who it is. */
export function createLogin({ login, credentials }: Login, log: Log): Authenticator {
  if (credentials !== undefined) return byFile(credentials, log)
  if (!login) return () => undefined
  return 'token' in login
    ? tokenAuthenticator(login.token)
    : usernamePasswordAuthenticator(login.user, login.pass)
}

/** The file is read for each connection, since credentials are renewed. Without them NATS refuses, and it is tried again. */
function byFile(path: string, log: Log): Authenticator {
  return (nonce) => {
    try {
      return ofFile(readFileSync(path, 'utf8'))(nonce)
    } catch (error) {
      log.error({ file: path, why: errorMessage(error) }, 'the credentials for NATS cannot be used')
      return undefined
    }
  }
}

function ofFile(text: string): Authenticator {
  const bytes = (part: string): Uint8Array => new TextEncoder().encode(part)
  // The last line may have no end, which the package wants.
  return HAS_JWT.test(text) ? credsAuthenticator(bytes(`${text}\n`)) : nkeyAuthenticator(bytes(seedIn(text)))
}

function seedIn(text: string): string {
  const [seed] = NKEY_SEED.exec(text) ?? []
  if (seed === undefined) throw new Error('it holds no credentials')
  return seed
}
