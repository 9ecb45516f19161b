import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Participant } from '../../../../src/chat/ports.ts'
import { createPresent } from '../../../../src/chat/presence/present.ts'
import { personCalled } from '../../../support/ssh-server.ts'
import { screenOf } from '../../../support/chat-parts.ts'

test('whoever comes and goes, each person is listed once in order of name, with all of their terminals', () => {
  const steps = fc.array(
    fc.record({ name: fc.constantFrom('ann', 'bob', 'Cid', 'dan', 'ева'), slot: fc.nat(2) }),
  )
  fc.assert(
    fc.property(steps, (all) => {
      const present = createPresent()
      const here = new Map<string, Participant>()
      for (const { name, slot } of all) {
        const key = `${name} ${slot}`
        const participant = here.get(key) ?? screenOf(personCalled(name))
        if (here.delete(key)) expect(present.remove(participant)).toBe(true)
        else {
          here.set(key, participant)
          present.add(participant)
        }
        const names = [...new Set([...here.values()].map(({ person }) => person.name))]
        expect(present.people().map((person) => person.name)).toEqual(names.toSorted())
        expect(new Set(present.participants())).toEqual(new Set(here.values()))
        expect(present.participants()).toHaveLength(here.size)
        expect(present.remove(screenOf(personCalled(name)))).toBe(false)
      }
    }),
  )
})

test('a list that was given out does not change while somebody goes through it', () => {
  const present = createPresent()
  const [ann, bob] = [screenOf(personCalled('ann')), screenOf(personCalled('bob'))]
  present.add(ann)
  const before = present.participants()
  present.add(bob)
  present.remove(ann)
  expect(before).toEqual([ann])
  expect(present.participants()).toEqual([bob])
})
