import { describe, expect, test } from 'vitest'
import { addressBits, parseNetwork } from '../../../src/lib/network.ts'

/** Whether a network contains an address. */
const contains = (network: string, address: string): boolean | undefined => {
  const bits = parseNetwork(network)?.bits
  return bits === undefined ? undefined : addressBits(address)?.startsWith(bits)
}

describe('a network', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:DB8:0:1:ffff::9', '2001:db8:0:1::/64'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ])('%s is %s', (written, text) => {
    expect(parseNetwork(written)?.text).toBe(text)
  })

  test.each([
    ...['', '/', '10', '010.0.0.1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/8 '],
    ...['2001:db8::/65', '::ffff:10.0.0.0/104', 'bob', '1.2.3', '256.1.1.1', 'x'.repeat(9999), '::/0x1'],
  ])('%j is none', (written) => {
    expect(parseNetwork(written)).toBeUndefined()
  })

  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['2001:db8::/32', '2001:db8:9::1', true],
    ['2001:db8::1', '2001:db8::ffff', true],
    ['2001:db8::1', '2001:db8:0:0', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['10.0.0.0/8', '', undefined],
  ])('%s contains %s: %s', (network, address, expected) => {
    expect(contains(network, address)).toBe(expected)
  })
})
