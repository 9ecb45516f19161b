import { expect, test } from 'vitest'
import { Admission, type Slot } from '../../../../src/adapters/ssh/admission.ts'
import { Quotas } from '../../../../src/adapters/ssh/login.ts'
import type { SshLimits } from '../../../../src/adapters/ssh/admission.ts'
import type { Fingerprint, PersonId } from '../../../../src/chat/people/person.ts'
import { sshLimits } from '../../../support/ssh-server.ts'

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

test('a connection over the limit of its person is refused until one of theirs ends', () => {
  const { enter } = house({ connections_per_person: 1 })
  const first = enter('mallory')
  expect([refusalOf(first), refusalOf(enter('mallory'))]).toEqual([
    undefined,
    expect.stringContaining('You have 1 connections'),
  ])
  release(first)
  expect(refusalOf(enter('mallory'))).toBeUndefined()
})

test('one that comes in too late for its address is refused, and takes no place of its person', () => {
  const { knock, enter } = house({ connections_per_person: 1, connections_per_address: 1 })
  const late = knock('alice')
  expect(refusalOf(enter('bob'))).toBeUndefined()
  expect(refusalOf(enter('alice', { slot: late }))).toContain('come from your address')
  expect(refusalOf(enter('alice', { slot: knock('alice', '192.0.2.2') }))).toBeUndefined()
})

test('one that was refused before keeps its reason, takes no place, and gives way to others', () => {
  const { log, knock, enter } = house({
    connections_per_person: 1,
    connections_per_address: 1,
    connections: 1,
  })
  expect(refusalOf(enter('alice', { refusal: 'not now' }))).toBe('not now')
  expect(refusalOf(enter('alice', { slot: knock('bob') }))).toBeUndefined()
  expect(log).toEqual(['alice evicted'])
})
