import { NODATA, NOTFOUND } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { WebError } from '../../tools/web.ts'

/** All addresses of a name, IPv4 first; none if there are none. Rejects with `WebError`, or with the signal's reason. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Asks the name servers themselves (those of the machine, if none are given, as `HOST:PORT`): the machine's own names,
 * from its hosts file and search domains, must not be found, and a slow answer must not keep a thread of the pool.
 */
export function createResolver(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      signal.throwIfAborted()
      return addressesIn(answers, name)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** A name may have no address of one family. It is an error if no name server answered for either. */
function addressesIn(answers: readonly PromiseSettledResult<string[]>[], name: string): readonly string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const known = answers.some((answer) => answer.status === 'fulfilled' || isAbsent(answer.reason))
  if (!known) throw new WebError(`no name server answered for ${name}; try again later`)
  return addresses
}

const isAbsent = (error: NodeJS.ErrnoException): boolean => error.code === NOTFOUND || error.code === NODATA
