import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

describe('/help', () => {
  test('lists every command with its summary, in a session with a slash', async () => {
    await using world = await createCommandWorld()
    const typed = (await world.type(world.bob, 'help')).out
    const script = (await world.exec(world.bob, 'help')).out
    expect(typed).toHaveLength(world.commands.length + 1)
    for (const [index, { name, summary }] of world.commands.entries()) {
      expect(typed[index]).toBe(`/${name.padEnd(12)}${summary}`)
      expect(script[index]).toBe(`${name.padEnd(12)}${summary}`)
    }
    expect(typed.at(-1)).toContain('Anything else that you type is said in the room')
    expect(script.at(-1)).toContain('A script says first which room')
  })

  test('of one command shows its form for this caller', async () => {
    await using world = await createCommandWorld()
    const summary = 'let somebody into this private room; they are told at once, or as they come in next'
    expect(await world.type(world.bob, 'help /INVITE')).toEqual(done(`/invite NAME\n  ${summary}`))
    expect(await world.exec(world.bob, 'help invite')).toEqual(done(`invite ROOM NAME\n  ${summary}`))
  })

  test.each([
    ['jion', 'there is no command jion; did you mean join?'],
    ['__proto__', 'there is no command __proto__'],
    ['x'.repeat(50), `there is no command ${'x'.repeat(40)}`],
  ])('of %s, which is none, is refused', async (word, sentence) => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, `help ${word}`)).toEqual(refused(sentence))
  })
})
