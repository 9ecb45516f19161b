import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Where a request comes from: the peer, or, where that is a proxy of ours, the address that it added last. */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: readonly string[]): string {
  const peer = plain(socket.remoteAddress ?? '')
  if (!proxies.includes(peer)) return peer
  const added = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? ''
  return isIP(added) === 0 ? peer : plain(added)
}

/** An IPv4 address as it is written without IPv6 around it. */
export const plain = (address: string): string => address.replace(/^::ffff:/i, '')
