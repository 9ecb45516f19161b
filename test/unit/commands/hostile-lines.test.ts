import { expect, test } from 'vitest'
import { createCommandWorld } from '../../support/commands/command-world.ts'
import { tool } from '../../support/turn-world.ts'

/** What may follow a verb, though nobody means it. */
const TAILS = [
  '\u0000',
  '\u001b[2J\u001b]0;x\u0007',
  '\u202e\u200b',
  '\ud800',
  '-- --',
  '--json --json',
  '-n -n -n',
  '__proto__ constructor',
  '../../etc/passwd',
  'a\nb\n\nc',
  '\n'.repeat(10_000),
  'x'.repeat(100_000),
  'x '.repeat(20_000),
  '{"a":'.repeat(5_000),
]

test('hostile arguments make no command throw or fail without a message', async () => {
  await using world = await createCommandWorld(tool('echo'))
  const people = [world.ann, world.bob, world.guest]
  for (const { name } of world.commands)
    for (const tail of TAILS)
      for (const person of people) {
        // Whoever asks for its end twice has deleted it.
        if (name === 'delete') await world.exec(world.ann, 'create hall')
        const typed = await world.type(person, `${name} ${tail}`)
        const script = await world.exec(person, `${name} hall ${tail}`, tail)
        for (const { status, err } of [typed, script]) expect(status === 0 || err.length > 0, name).toBe(true)
      }
  expect(world.turnWorld.chatParts.log.lines).not.toContain('a command threw')
})
