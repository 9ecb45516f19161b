import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { WebError } from '../../tools/web-ports.ts'

/** Says whether a connection to this IP address may be made. */
export type AddressCheck = (address: string) => boolean

/**
 * True for addresses of the public internet: neither private, loopback, link-local, multicast nor reserved,
 * nor IPv6 forms that carry such an IPv4 address (mapped, 6to4, Teredo, NAT64). The ranges are IANA's
 * special-purpose registries, as ipaddr.js knows them.
 */
export const isPublicAddress: AddressCheck = (address) => {
  if (!ipaddr.isValid(address)) return false
  return ipaddr.process(address).range() === 'unicast'
}

/**
 * A lookup for sockets that gives only addresses that pass: the address that was checked is the one that is
 * connected to, so a name that changes its mind in between gains nothing. One bad address refuses them all.
 */
export function guardedLookup(allowed: AddressCheck, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const bad = addresses.find(({ address }) => !allowed(address))
      const first = addresses[0]
      if (bad || !first) return callback(notPublic(hostname), '', 0)
      if (options.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}

/** Sockets look up names only: an address that stands in the URL itself is checked here. Throws `WebError`. */
export function checkLiteral(url: URL, allowed: AddressCheck): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host) && !allowed(host)) throw notPublic(host)
}

const notPublic = (host: string): WebError => new WebError(`${host} is not an address of the public web`)
