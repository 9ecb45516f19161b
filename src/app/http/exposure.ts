import { isLoopback, type Config } from '../../config/config.ts'

/**
 * Why others could read the tokens that come over HTTP, and what to do; undefined where all of it stays on this machine, or a
 * proxy on another one is named, which is taken to speak TLS.
 */
export function exposureOf({ listen, proxies }: Config['http']): string | undefined {
  if (!listen || isLoopback(listen.host) || proxies.some((proxy) => !isLoopback(proxy))) return undefined
  return (
    `HTTP on ${listen.host} is not encrypted, so tokens can be read on their way: ` +
    'have it listen on 127.0.0.1 with a TLS proxy before it, or name that proxy in [http] proxies where it runs elsewhere'
  )
}
