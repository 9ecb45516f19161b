import { expect, test } from 'vitest'
import { createAdmission, type Admitted } from '../../../../../src/adapters/ssh/admission/admission.ts'
import { blockOf } from '../../../../../src/adapters/ssh/admission/networks.ts'
import type { SshLimits } from '../../../../../src/adapters/ssh/limits.ts'
import { sshLimits } from '../../../../support/ssh-server.ts'

/** Admits by these limits; undefined where a connection is turned away. `gone` are the addresses whose connections gave way. */
function door(limits: Partial<SshLimits> = {}) {
  const admit = createAdmission({ ...sshLimits, ...limits })
  const gone: string[] = []
  const knock = (address: string, name = address): Admitted | undefined => {
    const answer = admit(address, () => void gone.push(name))
    return 'why' in answer ? undefined : answer
  }
  return { gone, knock }
}

test('a login makes its network known, and a connection that ends without one makes it unknown again', () => {
  const { knock: admit } = door()
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
  const { knock: admit } = door({ unauthenticated: 20_000, connections: 20_000 })
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

test('logged in connections from a network are limited, and a closed one is given back once', () => {
  const { knock } = door({ connections_per_address: 2 })
  const open = [knock('192.0.2.1'), knock('192.0.2.1')]
  expect(open.map((one) => one?.loggedIn())).toEqual([true, true])
  expect([knock('192.0.2.1'), knock('192.0.2.2')?.isKnown]).toEqual([undefined, false])
  open[0]?.closed()
  open[0]?.closed()
  const next = knock('192.0.2.1')
  expect([next?.isKnown, next?.loggedIn(), knock('192.0.2.1')]).toEqual([true, true, undefined])
})

test('of those who came while there was room only so many may be used', () => {
  const { knock } = door({ connections_per_address: 1 })
  const [first, second] = [knock('192.0.2.1'), knock('192.0.2.1')]
  expect([first?.loggedIn(), second?.loggedIn()]).toEqual([true, false])
  expect(knock('192.0.2.1')).toBeUndefined()
  first?.closed()
  expect(knock('192.0.2.1')?.loggedIn()).toBe(true)
})

test('those that are refused after their login keep nobody out of their address: the oldest gives way', () => {
  const { gone, knock } = door({ connections_per_address: 1 })
  for (let number = 0; number < 8; number++) knock('192.0.2.1', `refused ${number}`)?.refused()
  const honest = knock('192.0.2.1', 'honest')
  expect(gone).toEqual(['refused 0'])
  expect(honest?.loggedIn()).toBe(true)
})

test('nor do they take the connections of the server, or the turns of those who log in', () => {
  const { gone, knock } = door({ connections: 3, unauthenticated_per_address: 1 })
  const served: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const connection = knock('192.0.2.1', name)
    connection?.enter(() => void served.push(name))
    connection?.refused()
  }
  expect(served).toEqual(['one', 'two', 'three'])
  const honest = ['192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) => knock(address)?.loggedIn())
  expect([honest, gone]).toEqual([
    [true, true, true],
    ['one', 'two', 'three'],
  ])
})

test('a refused one costs its network as one that failed, once, and its client is known', () => {
  const { knock } = door({ address_burst: 8, address_per_s: 1 })
  for (let login = 0; login < 2; login++) {
    const connection = knock('192.0.2.1')
    expect(connection?.delayMs).toBe(0)
    connection?.refused()
    connection?.closed()
  }
  const next = knock('192.0.2.1')
  expect(next?.isKnown).toBe(true)
  expect(next?.delayMs).toBeGreaterThan(0)
  expect(next?.delayMs).toBeLessThanOrEqual(1_000)
})

test('strangers keep nobody out: the oldest of their address gives way, whether it is delayed, waits or is served', () => {
  const { gone, knock } = door({ connections_per_address: 1, unauthenticated_per_address: 1 })
  const strangers = Array.from({ length: 8 }, (_, number) => knock('192.0.2.1', `stranger ${number}`))
  for (const one of strangers.slice(0, 5)) one?.enter(() => undefined)
  for (let more = 0; more < 6; more++) expect(knock('192.0.2.1', 'honest')).toBeDefined()
  expect(gone).toEqual(strangers.slice(0, 6).map((_one, number) => `stranger ${number}`))
  expect(knock('192.0.2.1')?.loggedIn()).toBe(true)
})

test('strangers from many addresses do not take the connections of the server either', () => {
  const { gone, knock } = door({ connections: 4 })
  knock('192.0.2.1')?.loggedIn()
  for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.3']) knock(address)
  const honest = knock('192.0.2.4')
  expect(gone).toEqual(['192.0.2.3'])
  expect(honest?.loggedIn()).toBe(true)
  for (const address of ['192.0.2.5', '192.0.2.6']) expect(knock(address)?.loggedIn()).toBe(true)
  expect(gone).toEqual(['192.0.2.3', '192.0.2.2', '192.0.2.3'])
  expect(knock('192.0.2.7')).toBeUndefined()
})

test.each([
  ['192.0.2.7', '192.0.2'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1'],
  ['::1', '0:0:0'],
])('%s is in the block %s', (address, block) => {
  expect(blockOf(address)).toBe(block)
})
