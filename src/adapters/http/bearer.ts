import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Person } from '../../chat/people/person.ts'
import { clientAddress } from './client-address.ts'
import type { HttpServerOptions } from './options.ts'

/** Who sends a request: a person, or why nobody does, as RFC 6750 has it. */
export type Bearer = { readonly person: Person } | { readonly challenge: string }

const NO_TOKEN = 'Bearer realm="sshawl"'
const WRONG_TOKEN = 'Bearer realm="sshawl", error="invalid_token"'

/**
 * Looks up the token of a request. An address from which wrong ones came waits for the next refusal, as for SSH; a right token never
 * waits, so that nobody holds up those with whom they share an address.
 */
export async function bearerOf(
  request: IncomingMessage,
  { handler, visitors, settings }: Pick<HttpServerOptions, 'handler' | 'visitors' | 'settings'>,
  signal: AbortSignal,
): Promise<Bearer> {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return { challenge: NO_TOKEN }
  const address = clientAddress(request, settings().proxies)
  const person = await handler.identify(token, address)
  if (person) return { person }
  const delayMs = visitors.failed(address)
  if (delayMs > 0) await wait(delayMs, undefined, { signal })
  return { challenge: WRONG_TOKEN }
}
