import { expect, test } from 'vitest'
import type { Fingerprint, PersonId } from '../../../../src/chat/people/person.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const MUTED = 'you are muted in hall for 10m more: you may read, and not speak'

/** What a muted person may do: nothing of it is an entry, and no model is asked. */
const READS = 'history who tools wrap todo exits script#show summary kv topic vibe usage perms checkpoint nav'
/** What makes an entry, or asks a model. */
const SPEAKS = 'say#x me#x ask#@qwen#x run#echo'

test('/mute lets somebody read, and not speak, until its time is over', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'mute bob 10m')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann muted bob for 10m'])
  for (const word of READS.split(' ')) {
    const [verb, ...rest] = word.split('#')
    const { err } = await world.exec(world.bob, [verb, 'hall', ...rest].join(' '))
    expect({ verb, err }).toEqual({ verb, err: [] })
  }
  for (const word of SPEAKS.split(' ')) {
    const [verb, ...rest] = word.split('#')
    expect(await world.exec(world.bob, [verb, 'hall', ...rest].join(' '))).toEqual(refused(MUTED))
  }
  expect(await world.texts('hall')).toEqual(['ann muted bob for 10m'])
  world.turnWorld.chatParts.clock.advance(600_000)
  expect(await world.exec(world.bob, 'say hall hi')).toMatchObject({ status: 0 })
})

test('/mute silences an op, who cannot undo it; an earlier one is replaced', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  await world.exec(world.ann, 'mute hall bob')
  await world.exec(world.ann, 'mute hall bob 10m')
  for (const line of [
    'unmute hall bob',
    'kick hall guest',
    'ban --room hall root',
    'deop hall bob',
    'topic hall x',
  ])
    expect(await world.exec(world.bob, line)).toEqual(refused(MUTED))
  expect(await world.exec(world.ann, 'bans --room hall --json')).toMatchObject({
    out: [expect.stringContaining('"kind":"mute"') as string],
  })
  expect(await world.exec(world.ann, 'unmute hall BOB')).toEqual(done('ann unmuted bob'))
  expect(await world.exec(world.ann, 'unmute hall bob')).toEqual(refused('bob is not muted in hall'))
  expect(await world.exec(world.bob, 'say hall hi')).toMatchObject({ status: 0 })
})

test('/unmute and /unban know somebody under each name of their key, also one from after the act', async () => {
  await using world = await createCommandWorld()
  const { storage, clock } = world.turnWorld.chatParts
  await world.exec(world.ann, 'mute hall bob')
  await world.exec(world.ann, 'ban --room hall bob')
  const again = { ...world.bob, id: 'again' as PersonId, name: 'bobtwo' }
  expect(await storage.chat.people.register(again, 'bobtwo', 'SHA256:bob' as Fingerprint, clock.now())).toBe(
    true,
  )
  expect(await world.exec(world.ann, 'unmute hall bobtwo')).toEqual(done('ann unmuted bob'))
  expect(await world.exec(world.ann, 'unban --room hall bobtwo')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'unmute hall bob')).toEqual(refused('bob is not muted in hall'))
})

test.each(['0s', '10', '10x', '-1m', '3651d', '1e3s', '999999999999s'])(
  '/mute bob %s is wrong usage',
  async (word) => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.ann, `mute hall bob ${word}`)).toEqual(
      word === '-1m'
        ? expect.objectContaining({ status: 2 })
        : misused(
            `mute: ${word} is no duration; write 30s, 10m, 2h or 7d, at most 3650d`,
            'mute ROOM NAME [DURATION]',
          ),
    )
    expect(await world.exec(world.bob, 'say hall hi')).toMatchObject({ status: 0 })
  },
)
