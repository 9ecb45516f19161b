import { cleanLine } from '../../../lib/text/clean-text.ts'
import { isOnLoopback, isPrivateWay } from '../config.ts'
import { LoginError } from './login.ts'

/**
 * An address that a server names for its login. One on this machine counts only where the server is here, too: else it would have
 * us ask what only we can reach. Throws `LoginError`.
 */
export function needSafe(address: string | URL, server: URL): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined
  const isSafe = url && isPrivateWay(url) && (!isOnLoopback(url) || isOnLoopback(server))
  if (!isSafe) throw new LoginError(`${shown(url)} is no address for a login: it has to begin with https://`)
  return url
}

/** Characters of an address that has no host. */
const MAX_CHARS = 60

function shown(url: URL | undefined): string {
  if (!url) return 'what it names'
  return url.origin === 'null' ? cleanLine(url.href).slice(0, MAX_CHARS) : url.origin
}
