import { expect, test } from 'vitest'
import { Admission, type Slot } from '../../../../src/adapters/ssh/admission.ts'
import { Quota } from '../../../../src/lib/quota.ts'
import { admitPerson } from '../../../../src/adapters/ssh/login.ts'
import type { SshLimits } from '../../../../src/adapters/ssh/admission.ts'
import type { Fingerprint, PersonId } from '../../../../src/chat/people/person.ts'
import { sshLimits } from '../../../support/ssh-server.ts'

/** `log` has who was evicted. */
function house(changes: Partial<SshLimits>) {
  const limits = { ...sshLimits, ...changes }
  const log: string[] = []
  const admission = new Admission(limits)
  const quota = (): Quota => new Quota(() => limits.connections_per_person)
  const quotas = { connections: quota(), commands: quota(), commandsOfNetwork: quota() }
  const address = '192.0.2.1'
  const knock = (name: string) => admission.admit(address, () => void log.push(`${name} evicted`)) as Slot
  const enter = (name: string, { slot = knock(name), refusal }: { slot?: Slot; refusal?: string } = {}) =>
    admitPerson(
      {
        person: { id: name as PersonId, name, admin: false, guest: false },
        ...(refusal === undefined ? {} : { refusal }),
      },
      { fingerprint: `SHA256:${name}` as Fingerprint, algorithm: 'ssh-ed25519' },
      { limits, quotas, handler: {} },
      slot,
    )
  return { log, quotas, knock, enter }
}

const refusalOf = (place: ReturnType<typeof admitPerson>): string | undefined =>
  'refusal' in place ? place.refusal : undefined

const release = (place: ReturnType<typeof admitPerson>): void => {
  if ('release' in place) place.release()
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
  const { quotas, knock, enter } = house({ connections_per_person: 1, connections_per_address: 1 })
  const late = knock('alice')
  expect(refusalOf(enter('bob'))).toBeUndefined()
  expect(refusalOf(enter('alice', { slot: late }))).toContain('come from your address')
  expect(quotas.connections.isFull('alice')).toBe(false)
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
