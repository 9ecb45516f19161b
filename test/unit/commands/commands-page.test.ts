import { expect, test } from 'vitest'
import { usage } from '../../../src/commands/parse.ts'
import { commandsPage, pageUsage } from '../../support/commands/commands-page.ts'
import { createCommandWorld } from '../../support/commands/command-world.ts'
import { exampleOf, runExample, runExamples } from '../../support/commands/examples.ts'
import { rightsPage } from '../../support/commands/rights-page.ts'

const GROUPS = await (async () => {
  await using world = await createCommandWorld()
  return world.groups
})()
const COMMANDS = GROUPS.flatMap(({ commands }) => commands)
const ANSWERS = await runExamples(COMMANDS)
const PAGE = await commandsPage(GROUPS, ANSWERS)
const RIGHTS_PAGE = await rightsPage()

test('docs/commands.md matches the page generated from the list of commands', async () => {
  await expect(PAGE, 'the page is old: npm run docs writes it anew').toMatchFileSnapshot(
    '../../../docs/commands.md',
  )
})

test('docs/rights.md matches the page generated from the table of rights', async () => {
  await expect(RIGHTS_PAGE, 'the page is old: npm run docs writes it anew').toMatchFileSnapshot(
    '../../../docs/rights.md',
  )
})

test('the pages of commands and of rights have at most 55 KB together', () => {
  expect(Buffer.byteLength(PAGE) + Buffer.byteLength(RIGHTS_PAGE)).toBeLessThanOrEqual(55_000)
})

/** They ask first: their examples say what would be removed, and how to confirm it. */
const ASKS_FIRST: ReadonlySet<string> = new Set(['delete', 'purge'])

test.each(COMMANDS.map((command) => [command.name, command] as const))(
  'the example of %s in docs/commands.md succeeds for each caller that has the command',
  async (name, command) => {
    const expected = ASKS_FIRST.has(name) ? 1 : 0
    expect(ANSWERS.get(command)).toMatchObject({ status: expected })
    if (command.fromScript !== undefined) return
    expect(await runExample(command, 'session')).toMatchObject({ status: expected })
    expect(PAGE).toContain(`$ ${exampleOf(command, 'script')}\n`)
  },
)

test.each(COMMANDS.map((command) => [command.name, command] as const))(
  'docs/commands.md has the form of %s, and its form in a session follows from it',
  (_name, command) => {
    const form = pageUsage(command)
    expect(PAGE).toContain(`\n${form}\n`)
    if (command.fromScript !== undefined) return
    const inSession = form.replace(' ROOM|-', ' [-]').replace(/ (?:ROOM|\[ROOM\])(?= |$)/, '')
    const scriptFlags = command.flags.filter((flag) => flag.forScripts)
    const withoutFlags = scriptFlags.reduce(
      (words, { name, value }) => words.replace(` [--${name}${value ? ` ${value}` : ''}]`, ''),
      inSession,
    )
    expect(`/${withoutFlags}`).toBe(usage(command, 'session'))
  },
)

test('docs/commands.md explains each argument and flag of each command', () => {
  for (const { name, arguments: words, flags } of COMMANDS) {
    const section = PAGE.slice(PAGE.indexOf(`\n### ${name}\n`)).split('\n### ')[1]
    for (const { name: word } of words) expect(section).toContain(`\n- \`${word.toUpperCase()}\`: `)
    for (const flag of flags) {
      const spelling = `${flag.name.length === 1 ? '-' : '--'}${flag.name}${flag.value ? ` ${flag.value}` : ''}`
      expect(section).toContain(`[${spelling}]`)
      expect(PAGE.replaceAll(/\n {2}/g, ' ')).toMatch(
        new RegExp(`\\n- \`${spelling}\`(?: \\(scripts alone\\))?: `),
      )
    }
  }
})

test('a command without effect in a script has no script example and prints nothing there', async () => {
  await using world = await createCommandWorld()
  const only = COMMANDS.filter((one) => one.fromScript !== undefined)
  expect(only.map((one) => one.name)).toEqual(['leave', 'go', 'next', 'clear', 'quit'])
  for (const { name, example } of only) {
    expect(PAGE).not.toContain(`ssh HOST ${name}`)
    const { out } = await world.exec(world.ann, `${name} ${example}`)
    expect(out).toEqual([])
  }
})
