import { describe, expect, test } from 'vitest'
import { createTalkers } from '../support/faults/talkers.ts'
import { lacks } from '../support/needs.ts'

describe.skipIf(lacks('postgres'))(
  'three servers, of which one is cut off from PostgreSQL and one dies',
  () => {
    test('their people have left once; who was cut off comes again, and missed nothing', async () => {
      await using talkers = await createTalkers({ servers: 3, bus: 'postgres' })
      const [alice, bob] = talkers.sessions
      const [, second, third] = talkers.site.machines
      for (const at of [0, 1, 2]) talkers.say(at, 'hello')
      for (const speaker of ['alice', 'bob', 'carol'])
        for (const { waitFor } of talkers.sessions) await waitFor(`${speaker}: hello\n`)
      const seenByCarol = talkers.shown(2)

      second?.toDatabase.set('shut')
      await third?.server.stop('SIGKILL')
      talkers.say(1, 'can you hear me?')
      // A screen has enough to show before it spends lines on who came and went.
      for (let n = 0; n < 40; n++) talkers.say(0, `alone ${n}`)
      // Whoever finds both dead says it in one line.
      await alice?.waitFor(/^-- (?:2 people|.*bob.*) left$/m)
      await alice?.waitFor(/^-- (?:2 people|.*carol.*) left$/m)

      second?.toDatabase.set('open')
      await alice?.waitFor(/left$[^]*^-- bob joined$/m)
      talkers.say(1, 'here I am')
      await talkers.heard('here I am', 0, 1)
      const stored = await talkers.stored()
      expect(stored.slice(0, seenByCarol.length)).toEqual(seenByCarol)
      expect(new Set(stored).size, 'nothing twice').toBe(stored.length)
      for (const at of [0, 1]) expect(talkers.shown(at)).toEqual(stored)
      expect(bob?.child.exitCode, 'the session outlived it').toBeNull()
      expect((await talkers.left()).toSorted()).toEqual(['bob', 'carol'])
    })
  },
)
