import { BlockList, isIP, isIPv6 } from 'node:net'

/** Returns a test of whether an address is in the networks (`10.0.0.0/8`); undefined if one is invalid. */
export function addressMatcher(networks: readonly string[]): ((address: string) => boolean) | undefined {
  const list = new BlockList()
  for (const network of networks) {
    const [, address = '', bits] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(network) ?? []
    const longest = isIPv6(address) ? 128 : 32
    if (isIP(address) === 0 || Number(bits ?? longest) > longest) return undefined
    list.addSubnet(address, Number(bits ?? longest), familyOf(address))
  }
  return (address) => list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')
