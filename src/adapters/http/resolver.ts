import { Resolver } from 'node:dns/promises'

/** All addresses of a name, IPv4 first; none if there are none. May reject with the signal's reason. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Asks the name servers themselves: the machine's own names (hosts file, search domains) are nobody's business
 * here, and a slow answer holds no thread of the pool.
 */
export const resolveName: Resolve = async (name, signal) => {
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    signal.throwIfAborted()
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
