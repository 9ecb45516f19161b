import { expect, test } from 'vitest'
import { calculator } from '../../../src/tools/builtin/calculator/calculator.ts'
import { commandsPage, exampleOf } from '../../support/commands/commands-page.ts'
import { createCommandWorld } from '../../support/commands/command-world.ts'
import { tool } from '../../support/turn-world.ts'

const PAGE = '../../../docs/commands.md'

test('docs/commands.md matches the page generated from the list of commands', async () => {
  await using world = await createCommandWorld()
  const page = await commandsPage(world.groups)
  await expect(page, 'the page is old: npm run docs writes it anew').toMatchFileSnapshot(PAGE)
})

/**
 * Their examples name what is only there once something has happened: a code, a running turn, a question, a
 * permission, a ban, a message, a second model, a file, a mention, a pin; delete asks first.
 */
const NEEDS_A_PAST: ReadonlySet<string> = new Set(
  'retry panel claim stop allow deny perms turn reply deop kick unmute unban delete purge forget routines files undo mentions unpin'.split(
    ' ',
  ),
)

/** A room `den` in which something was said and which has an exit; @guide of the examples is @qwen here. */
async function createDen() {
  const world = await createCommandWorld(calculator, tool('Grep'))
  for (const line of ['say den hello', 'portal den north hall']) await world.exec(world.ann, line)
  return world
}

const GROUPS = await (async () => {
  await using world = await createCommandWorld()
  return world.groups
})()
const COMMANDS = GROUPS.flatMap(({ commands }) => commands)

/** Those of these commands name a member. */
const NEEDS_A_MEMBER: ReadonlySet<string> = new Set(['op', 'owner', 'uninvite'])

/** These are for admins alone. */
const NEEDS_ADMIN: ReadonlySet<string> = new Set(['mcp', 'purge'])

async function createDenFor(name: string) {
  const world = await createDen()
  if (!NEEDS_A_MEMBER.has(name)) return world
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  return world
}

test.each(COMMANDS.map(({ name }) => name))(
  'the example of %s in docs/commands.md is valid usage',
  async (name) => {
    const command = COMMANDS.find((one) => one.name === name)!
    const expected = NEEDS_A_PAST.has(name) ? 1 : 0
    const who = NEEDS_ADMIN.has(name) ? 'root' : 'ann'
    await using inSession = await createDenFor(name)
    const typed = exampleOf(command, 'session').slice(1).replace('@guide', '@qwen')
    expect(await inSession.type(inSession[who], typed, NEEDS_ADMIN.has(name) ? 'hall' : 'den')).toMatchObject(
      { status: expected },
    )
    if (command.fromScript !== undefined) return
    await using forScript = await createDenFor(name)
    const words = exampleOf(command, 'script')
      .replace(/^ssh HOST /, '')
      .replaceAll("'", '')
    const ran = await forScript.exec(forScript[who], words.replace('@guide', '@qwen'), 'x')
    expect(ran).toMatchObject({ status: expected })
  },
)

test('a command without effect in a script has no script example and prints nothing there', async () => {
  await using world = await createDen()
  const only = COMMANDS.filter((one) => one.fromScript !== undefined)
  expect(only.map((one) => one.name)).toEqual(['leave', 'go', 'next', 'clear', 'quit'])
  const page = await commandsPage(GROUPS)
  for (const { name, example } of only) {
    expect(page).not.toContain(`ssh HOST ${name}`)
    const { out } = await world.exec(world.ann, `${name} ${example}`)
    expect(out).toEqual([])
  }
})
