import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Global unicast (RFC 4291 2.4 and IANA's registry): every public IPv6 address is in it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure answers its machines' agents, keys included, on this address, which looks public (Microsoft Learn). */
const AZURE_HOST = '168.63.129.16'

/**
 * True for an address of the public internet. Everything with a special purpose is not: private, loopback,
 * link-local with the clouds' metadata, shared, multicast, reserved, IPv4 inside IPv6 in any of its forms, tunnels.
 * This machine's own addresses are not public either: its firewall would not see the connection.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false
  return !ownAddresses().has(parsed.toNormalizedString())
}

function ownAddresses(): ReadonlySet<string> {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return new Set([
    AZURE_HOST,
    ...own.map(({ address }) => ipaddr.parse(address.replace(/%.*$/, '')).toNormalizedString()),
  ])
}
