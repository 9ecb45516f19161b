import { expect, test } from 'vitest'
import { COSTS, NetworkPace, addressBits, networkOf, parseNetwork } from '../../../src/base/network.ts'

const contains = (network: string, address: string): boolean | undefined => {
  const bits = parseNetwork(network)?.bits
  return bits === undefined ? undefined : addressBits(address)?.startsWith(bits)
}

test.each([
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['192.0.2.7', '192.0.2.7/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['2001:DB8:0:1:ffff::9', '2001:db8:0:1::/64'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
])('the network %s is normalized to %s', (written, text) => {
  expect(parseNetwork(written)?.text).toBe(text)
})

test.each([
  ...['', '/', '10', '010.0.0.1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/8 '],
  ...['2001:db8::/65', '::ffff:10.0.0.0/104', 'bob', '1.2.3', '256.1.1.1', 'x'.repeat(9999), '::/0x1'],
])('the text %j is no network', (written) => {
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
])('the network %s contains the address %s: %s', (network, address, expected) => {
  expect(contains(network, address)).toBe(expected)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1:2:3:4', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['1::', '1:0:0:0'],
])('the address %s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

function fixture() {
  let time = 0
  const pace = new NetworkPace({ address_burst: 10, address_per_s: 2 }, () => time)
  const connect = (network: string): number => pace.charge(network, COSTS.connection)
  return { pace, connect, pass: (ms: number) => void (time += ms) }
}

const HOME = '192.0.2.1'

test('a burst of connections is served at once, and later ones at the allowed rate', () => {
  const { connect, pass } = fixture()
  const delays = Array.from({ length: 12 }, () => connect(HOME))
  expect(delays).toEqual([...Array<number>(10).fill(0), 500, 1_000])
  expect(connect('192.0.2.2')).toBe(0)
  pass(6_500)
  expect(connect(HOME)).toBe(0)
})

test('a used login is free, an unused connection costs one unit, and a failed login four', () => {
  const { pace, connect } = fixture()
  for (let login = 0; login < 100; login++) {
    expect(connect(HOME)).toBe(0)
    pace.charge(HOME, COSTS.use)
  }
  const idle = '192.0.2.2'
  for (let login = 0; login < 10; login++) expect(connect(idle)).toBe(0)
  expect(connect(idle)).toBe(500)
  const other = '2001:db8:0:1'
  for (let failure = 0; failure < 2; failure++) {
    connect(other)
    pace.charge(other, COSTS.failure)
  }
  expect([1, 2, 3].map(() => connect(other))).toEqual([0, 0, 500])
})

test('the delay of a network is at most five seconds, and ends after some quiet seconds', () => {
  const { pace, connect, pass } = fixture()
  for (let failure = 0; failure < 1_000; failure++) pace.charge(HOME, COSTS.failure)
  expect(connect(HOME)).toBe(5_000)
  pass(6_000)
  expect(connect(HOME)).toBe(0)
})

test('the answers to repeated wrong codes from a network are delayed by five seconds', () => {
  const { pace, connect, pass } = fixture()
  const wrongCode = (network: string): number => pace.charge(network, COSTS.wrongCode)
  expect(Array.from({ length: 4 }, () => wrongCode(HOME))).toEqual([0, 5_000, 5_000, 5_000])
  expect(wrongCode('192.0.2.2')).toBe(0)
  expect(connect(HOME)).toBe(5_000)
  pass(10_000)
  expect(connect(HOME)).toBe(0)
})

test('the least recently seen network is forgotten beyond 10,000', () => {
  const { pace } = fixture()
  for (const network of ['early', 'again']) pace.setKnown(network, true)
  for (let number = 0; number < 9_998; number++) pace.setKnown(`n${number}`, true)
  pace.charge('again', COSTS.connection)
  pace.setKnown('late', true)
  expect(['again', 'n0', 'early', 'late'].map((network) => pace.isKnown(network))).toEqual([
    true,
    true,
    false,
    true,
  ])
})
