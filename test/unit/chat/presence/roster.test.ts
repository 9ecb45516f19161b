import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Participant } from '../../../../src/chat/ports.ts'
import { Roster } from '../../../../src/chat/presence/roster.ts'
import { personCalled } from '../../../support/ssh-server.ts'
import { screenOf } from '../../../support/chat-parts.ts'

test('whoever comes and goes, each person is listed once in order of name, with all of their terminals', () => {
  const steps = fc.array(
    fc.record({ name: fc.constantFrom('ann', 'bob', 'Cid', 'dan', 'ева'), slot: fc.nat(2) }),
  )
  fc.assert(
    fc.property(steps, (all) => {
      const roster = new Roster()
      const here = new Map<string, Participant>()
      for (const { name, slot } of all) {
        const key = `${name} ${slot}`
        const participant = here.get(key) ?? screenOf(personCalled(name))
        if (here.delete(key)) expect(roster.remove(participant)).toBe(true)
        else {
          here.set(key, participant)
          roster.add(participant)
        }
        const names = [...new Set([...here.values()].map(({ person }) => person.name))]
        expect(roster.people().map((person) => person.name)).toEqual(names.toSorted())
        expect(new Set(roster.participants())).toEqual(new Set(here.values()))
        expect(roster.participants()).toHaveLength(here.size)
        expect(roster.remove(screenOf(personCalled(name)))).toBe(false)
      }
    }),
  )
})

test('a list that was given out does not change while somebody goes through it', () => {
  const roster = new Roster()
  const [ann, bob] = [screenOf(personCalled('ann')), screenOf(personCalled('bob'))]
  roster.add(ann)
  const before = roster.participants()
  roster.add(bob)
  roster.remove(ann)
  expect(before).toEqual([ann])
  expect(roster.participants()).toEqual([bob])
})
