import { expect, test } from 'vitest'
import { createCommandWorld, done } from '../../../support/commands/command-world.ts'
import type { Person } from '../../../../src/chat/people/person.ts'

const shown = async (world: Awaited<ReturnType<typeof createCommandWorld>>, who: Person, line: string) =>
  (await world.exec(who, line)).out.map((one) => one.replace(/^\d[\d -]+:\d\d /, ''))

test('/edit and /retract keep the log honest, and searches and prompts to the last version', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'say hall meet at noon')
  expect(await world.exec(world.ann, 'edit hall meet at three')).toEqual(done())
  expect(await shown(world, world.bob, 'history hall')).toEqual([
    'ann: meet at noon',
    'ann (edited): meet at three',
  ])
  expect(await shown(world, world.bob, 'search hall meet')).toEqual(['ann (edited): meet at three'])
  const prompt = await world.exec(world.bob, 'wrap hall @qwen --json')
  expect(prompt.out.join()).toContain('ann: meet at three')
  expect(prompt.out.join()).not.toContain('noon')
  expect(await world.type(world.ann, 'retract')).toEqual(done())
  expect((await shown(world, world.bob, 'history hall')).at(-1)).toBe(
    '-- ann took back a line, the last one of theirs, of 00:00 UTC',
  )
  expect(await shown(world, world.bob, 'search hall meet')).toEqual(['nothing here has meet'])
  expect((await world.exec(world.bob, 'wrap hall @qwen --json')).out.join()).not.toContain('meet')
})

test("/edit and /retract are refused for others' lines, and in a room that one has left or never saw", async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'say hall mine')
  for (const line of ['edit hall yours', 'retract hall', 'edit den x', 'retract den'])
    expect(await world.exec(world.bob, line)).toMatchObject({ status: 1, out: [] })
  expect(await world.texts('hall', 9)).toEqual(['mine'])
})

test('an edit calls no model', async () => {
  await using world = await createCommandWorld()
  const { rooms } = world.turnWorld.chatParts
  const hall = await rooms.get('hall', world.ann)
  await world.exec(world.ann, 'say hall hello')
  expect(await world.exec(world.ann, 'edit hall @qwen hello')).toEqual(done())
  expect(world.turnWorld.turns.running(hall.name)).toEqual([])
})
