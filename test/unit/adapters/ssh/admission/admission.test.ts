import { expect, test } from 'vitest'
import { createAdmission } from '../../../../../src/adapters/ssh/admission/admission.ts'
import { blockOf, networkOf } from '../../../../../src/adapters/ssh/admission/networks.ts'
import { sshLimits } from '../../../../support/ssh-server.ts'

test('a login makes its network known, and a connection that ends without one makes it unknown again', () => {
  const admit = createAdmission(sshLimits)
  const [first, other] = [admit('2001:db8::1'), admit('192.0.2.7')]
  expect([first?.isKnown, other?.isKnown]).toEqual([false, false])
  first?.loggedIn()
  first?.closed()
  expect(admit('2001:db8::2')?.isKnown).toBe(true)
  const third = admit('2001:db8::3')
  third?.closed()
  expect([admit('2001:db8::4')?.isKnown, admit('192.0.2.7')?.isKnown]).toEqual([false, false])
})

test('the network that nobody came from for the longest time is forgotten beyond ten thousand', () => {
  const admit = createAdmission({ ...sshLimits, unauthenticated: 20_000, connections: 20_000 })
  const login = (address: string): void => {
    const connection = admit(address)
    connection?.loggedIn()
    connection?.closed()
  }
  login('early')
  login('again')
  for (let number = 0; number < 9_999; number++) login(`n${number}`)
  const isKnown = (address: string) => admit(address)?.isKnown
  expect([isKnown('again'), isKnown('n0'), isKnown('early')]).toEqual([true, true, false])
})

test('connections from a network are limited, and a closed one is given back once', () => {
  const admit = createAdmission({ ...sshLimits, connections_per_address: 2 })
  const open = [admit('192.0.2.1'), admit('192.0.2.1')]
  expect([admit('192.0.2.1'), admit('192.0.2.2')?.isKnown]).toEqual([undefined, false])
  open[0]?.closed()
  open[0]?.closed()
  expect([admit('192.0.2.1')?.isKnown, admit('192.0.2.1')]).toEqual([false, undefined])
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1:2:3:4', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['1::', '1:0:0:0'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each([
  ['192.0.2.7', '192.0.2'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1'],
  ['::1', '0:0:0'],
])('%s is in the block %s', (address, block) => {
  expect(blockOf(address)).toBe(block)
})
