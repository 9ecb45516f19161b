import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Admission, type Slot, type SshLimits } from '../../../src/ssh/admission.ts'
import { Quotas } from '../../../src/ssh/quotas.ts'
import type { Fingerprint, PersonId } from '../../../src/words/person.ts'
import { sshLimits } from '../../support/ssh-server.ts'

/** `knock` is undefined for a connection that is refused; `gone` has the names of the evicted ones. */
function door(limits: Partial<SshLimits> = {}) {
  const admission = new Admission({ ...sshLimits, ...limits })
  const gone: string[] = []
  const knock = (address: string, name = address): Slot | undefined => {
    const slot = admission.admit(address, () => void gone.push(name))
    return 'refusal' in slot ? undefined : slot
  }
  return { gone, knock }
}

/** Slots that wait for their turn at once; `log` has what happened, in order: `a served`, `a gone`. */
function queue(limits: Partial<SshLimits>) {
  const admission = new Admission({ ...sshLimits, address_burst: 1_000, ...limits })
  const log: string[] = []
  const enter = (name: string, address: string): Slot => {
    const slot = admission.admit(address, () => void log.push(`${name} gone`)) as Slot
    slot.waitForTurn(() => void log.push(`${name} served`))
    return slot
  }
  const gone = (): readonly string[] => log.filter((line) => line.endsWith('gone'))
  return { log, enter, gone }
}

test('a network gets the SSH banner until it logs in, and again after a connection without login', () => {
  const { knock: admit } = door()
  const [first, other] = [admit('2001:db8::1'), admit('192.0.2.7')]
  expect([first?.showBanner, other?.showBanner]).toEqual([true, true])
  first?.loggedIn()
  first?.release()
  expect(admit('2001:db8::2')?.showBanner).toBe(false)
  const third = admit('2001:db8::3')
  third?.release()
  expect([admit('2001:db8::4')?.showBanner, admit('192.0.2.7')?.showBanner]).toEqual([true, true])
})

test('the limit of connections per address counts each closed connection once', () => {
  const { knock } = door({ connections_per_address: 2 })
  const open = [knock('192.0.2.1'), knock('192.0.2.1')]
  expect(open.map((one) => one?.loggedIn())).toEqual([true, true])
  expect([knock('192.0.2.1'), knock('192.0.2.2')?.showBanner]).toEqual([undefined, true])
  open[0]?.release()
  open[0]?.release()
  const next = knock('192.0.2.1')
  expect([next?.showBanner, next?.loggedIn(), knock('192.0.2.1')]).toEqual([false, true, undefined])
})

test('a login is rejected if its address reached the connection limit after the connection opened', () => {
  const { knock } = door({ connections_per_address: 1 })
  const [first, second] = [knock('192.0.2.1'), knock('192.0.2.1')]
  expect([first?.loggedIn(), second?.loggedIn()]).toEqual([true, false])
  expect(knock('192.0.2.1')).toBeUndefined()
  first?.release()
  expect(knock('192.0.2.1')?.loggedIn()).toBe(true)
})

test('the oldest connection whose login was refused is evicted if its address is full', () => {
  const { gone, knock } = door({ connections_per_address: 1 })
  for (let number = 0; number < 8; number++) knock('192.0.2.1', `refused ${number}`)?.refused()
  const honest = knock('192.0.2.1', 'honest')
  expect(gone).toEqual(['refused 0'])
  expect(honest?.loggedIn()).toBe(true)
})

test('connections whose login was refused do not use up the connections or the turns of the server', () => {
  const { gone, knock } = door({ connections: 3, unauthenticated_per_address: 1 })
  const served: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const connection = knock('192.0.2.1', name)
    connection?.waitForTurn(() => void served.push(name))
    connection?.refused()
  }
  expect(served).toEqual(['one', 'two', 'three'])
  const honest = ['192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) => knock(address)?.loggedIn())
  expect([honest, gone]).toEqual([
    [true, true, true],
    ['one', 'two', 'three'],
  ])
})

test('a refused login counts once as a failed login of its network and suppresses the next banner', () => {
  const { knock } = door({ address_burst: 8, address_per_s: 1 })
  for (let login = 0; login < 2; login++) {
    const connection = knock('192.0.2.1')
    expect(connection?.delayMs).toBe(0)
    connection?.refused()
    connection?.release()
  }
  const next = knock('192.0.2.1')
  expect(next?.showBanner).toBe(false)
  expect(next?.delayMs).toBeGreaterThan(0)
  expect(next?.delayMs).toBeLessThanOrEqual(1_000)
})

test('the oldest pending login of an address is evicted when a new connection needs its slot', () => {
  const { gone, knock } = door({ connections_per_address: 1, unauthenticated_per_address: 1 })
  const pending = Array.from({ length: 8 }, (_, number) => knock('192.0.2.1', `pending ${number}`))
  for (const one of pending.slice(0, 5)) one?.waitForTurn(() => undefined)
  for (let more = 0; more < 6; more++) expect(knock('192.0.2.1', 'honest')).toBeDefined()
  expect(gone).toEqual(pending.slice(0, 6).map((_one, number) => `pending ${number}`))
  expect(knock('192.0.2.1')?.loggedIn()).toBe(true)
})

test('the oldest pending login of the busiest address is evicted when the server is full', () => {
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

describe('turns', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('logins of a network above the limit of concurrent logins wait for each other', () => {
    const { log, enter } = queue({ unauthenticated_per_address: 2 })
    const slots = ['a', 'b', 'c', 'd'].map((name) => enter(name, '192.0.2.1'))
    expect(log).toEqual(['a served', 'b served'])
    slots[1]?.release()
    slots[1]?.release()
    expect(log).toEqual(['a served', 'b served', 'c served'])
  })

  test('a slow login is evicted only if another login waits', () => {
    const { log, enter } = queue({ unauthenticated_per_address: 1 })
    enter('a', '2001:db8::1')
    vi.advanceTimersByTime(10_000)
    enter('b', '2001:db8::2')
    expect(log).toEqual(['a served', 'b served', 'a gone'])
    enter('c', '2001:db8::3')
    vi.advanceTimersByTime(1_999)
    expect(log).toHaveLength(3)
    vi.advanceTimersByTime(1)
    expect(log.slice(3)).toEqual(['c served', 'b gone'])
  })

  test('a login gets less time if many others wait, but at least 0.7 s', () => {
    const { enter, gone } = queue({ unauthenticated_per_address: 2 })
    for (let number = 0; number < 42; number++) enter(`${number}`, '192.0.2.1')
    vi.advanceTimersByTime(699)
    expect(gone()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(gone().toSorted()).toEqual(['0 gone', '1 gone'])
  })

  test('an idle login is evicted early if 200 logins wait, and keeps 2 s if 9 wait', () => {
    const { log, enter } = queue({ unauthenticated: 300 })
    for (let number = 0; number < 200; number++) enter(`${number}`, '192.0.2.1')
    enter('honest', '192.0.2.1')
    vi.advanceTimersByTime(30_000)
    expect(log).toContain('honest served')
    const calm = queue({ unauthenticated: 300 })
    for (let number = 0; number < 9; number++) calm.enter(`${number}`, '192.0.2.1')
    vi.advanceTimersByTime(1_999)
    expect(calm.gone()).toEqual([])
  })

  test('a login that ends in the queue is never served', () => {
    const { log, enter } = queue({ unauthenticated_per_address: 1 })
    const first = enter('a', '192.0.2.1')
    enter('b', '192.0.2.1').release()
    first.release()
    vi.advanceTimersByTime(10_000)
    expect(log).toEqual(['a served'])
  })

  test('the oldest login of the busiest network is evicted if there are too many pending logins', () => {
    const { enter, gone } = queue({ unauthenticated: 4 })
    enter('alone', '198.51.100.1')
    enter('one', '192.0.2.1')
    enter('two', '192.0.2.2')
    enter('three', '192.0.2.2')
    enter('honest', '203.0.113.1')
    expect(gone()).toEqual(['two gone'])
    enter('other', '203.0.113.2')
    expect(gone()).toEqual(['two gone', 'alone gone'])
  })
})

/** `log` has who was evicted. */
function house(changes: Partial<SshLimits>) {
  const limits = { ...sshLimits, ...changes }
  const log: string[] = []
  const admission = new Admission(limits)
  const quotas = new Quotas(limits, {})
  const knock = (name: string, address = '192.0.2.1') =>
    admission.admit(address, () => void log.push(`${name} evicted`)) as Slot
  const enter = (name: string, { slot = knock(name), refusal }: { slot?: Slot; refusal?: string } = {}) =>
    quotas.admit(
      {
        person: { id: name as PersonId, name, admin: false, guest: false },
        ...(refusal === undefined ? {} : { refusal }),
      },
      { fingerprint: `SHA256:${name}` as Fingerprint, algorithm: 'ssh-ed25519' },
      slot,
    )
  return { log, knock, enter }
}

const refusalOf = (place: ReturnType<Quotas['admit']>): string | undefined =>
  typeof place === 'function' ? undefined : place.refusal

const release = (place: ReturnType<Quotas['admit']>): void => {
  if (typeof place === 'function') place()
}

test('a connection over the limit of its person is refused until another of theirs ends', () => {
  const { enter } = house({ connections_per_person: 1 })
  const first = enter('mallory')
  expect([refusalOf(first), refusalOf(enter('mallory'))]).toEqual([
    undefined,
    expect.stringContaining('You have 1 connections'),
  ])
  release(first)
  expect(refusalOf(enter('mallory'))).toBeUndefined()
})

test('a login over the address limit is refused and does not count for its person', () => {
  const { knock, enter } = house({ connections_per_person: 1, connections_per_address: 1 })
  const late = knock('alice')
  expect(refusalOf(enter('bob'))).toBeUndefined()
  expect(refusalOf(enter('alice', { slot: late }))).toContain('come from your address')
  expect(refusalOf(enter('alice', { slot: knock('alice', '192.0.2.2') }))).toBeUndefined()
})

test('a refused login keeps its reason, does not count for its person and is evicted first', () => {
  const { log, knock, enter } = house({
    connections_per_person: 1,
    connections_per_address: 1,
    connections: 1,
  })
  expect(refusalOf(enter('alice', { refusal: 'not now' }))).toBe('not now')
  expect(refusalOf(enter('alice', { slot: knock('bob') }))).toBeUndefined()
  expect(log).toEqual(['alice evicted'])
})
