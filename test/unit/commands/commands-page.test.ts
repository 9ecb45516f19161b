import { describe, expect, test } from 'vitest'
import { commandsPage, exampleOf } from '../../support/commands/commands-page.ts'
import { createCommandWorld } from '../../support/commands/command-world.ts'

const PAGE = '../../../docs/commands.md'

test('docs/commands.md is what the list of commands gives', async () => {
  await using world = await createCommandWorld()
  const page = await commandsPage(world.commands)
  await expect(page, 'the page is old: npm run docs writes it anew').toMatchFileSnapshot(PAGE)
})

describe('every example in it', () => {
  test('is a line that its command takes, in a session and from a script', async () => {
    await using world = await createCommandWorld()
    for (const command of world.commands) {
      const typed = exampleOf(command, 'session').slice(1)
      const script = exampleOf(command, 'script')
        .replace(/^ssh HOST /, '')
        .replaceAll("'", '')
      for (const ran of [await world.type(world.ann, typed), await world.exec(world.ann, script, 'x')])
        expect(ran.status, `${command.name}: ${ran.err.join()}`).not.toBe(2)
    }
    expect(world.turnWorld.society.log.lines).not.toContain('a command threw')
  })
})
