import { expect, test } from 'vitest'
import { Admission, type Slot } from '../../../../src/adapters/ssh/admission.ts'
import { Quota } from '../../../../src/lib/quota.ts'
import { admitPerson } from '../../../../src/adapters/ssh/admit-person.ts'
import type { SshLimits } from '../../../../src/adapters/ssh/limits.ts'
import type { Fingerprint, PersonId } from '../../../../src/chat/people/person.ts'
import { sshLimits } from '../../../support/ssh-server.ts'

/** `log` has who is no longer counted with other servers, and who was evicted. */
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
        offered: { fingerprint: `SHA256:${name}` as Fingerprint, algorithm: 'ssh-ed25519' },
        address,
        uncount: () => void log.push(`${name} uncounted`),
        ...(refusal === undefined ? {} : { refusal }),
      },
      { limits, quotas, handler: {} },
      slot,
    )
  return { log, knock, enter }
}

test('a connection over the limit of its person is refused and counts no more, until one of theirs ends', () => {
  const { log, enter } = house({ connections_per_person: 1 })
  const first = enter('mallory')
  const second = enter('mallory')
  expect([first.refusal, second.refusal]).toEqual([
    undefined,
    expect.stringContaining('You have 1 connections'),
  ])
  expect(second.uncount).toBeUndefined()
  expect(log).toEqual(['mallory uncounted'])
  first.uncount?.()
  expect(enter('mallory').refusal).toBeUndefined()
})

test('one that comes in too late for its address is refused, and takes no place of its person', () => {
  const { log, knock, enter } = house({ connections_per_person: 1, connections_per_address: 1 })
  const late = knock('alice')
  const first = enter('bob')
  expect(enter('alice', { slot: late }).refusal).toContain('come from your address')
  first.uncount?.()
  expect(log).toEqual(['alice uncounted', 'bob uncounted'])
})

test('one that was refused before keeps its reason, takes no place, and gives way to others', () => {
  const { log, knock, enter } = house({
    connections_per_person: 1,
    connections_per_address: 1,
    connections: 1,
  })
  expect(enter('alice', { refusal: 'not now' }).refusal).toBe('not now')
  expect(enter('alice', { slot: knock('bob') }).refusal).toBeUndefined()
  expect(log).toEqual(['alice uncounted', 'alice evicted'])
})
