import { expect, test } from 'vitest'
import { KEY_HELP } from '../../../src/terminal/input/keys.ts'
import { createCommandWorld, done, refused } from '../../support/commands/command-world.ts'
import { usage } from '../../../src/commands/parse.ts'
import { FOREIGN_COMMANDS } from '../../../src/commands/hints.ts'
import { createSummaryOf, groupHelp } from '../../../src/commands/help.ts'
import { overview } from '../../../src/commands/help-overview.ts'

/** On 24 rows there are also the command that was typed, the status line and the prompt. */
const ROWS = 21
/** The last cell of a row stays free. */
const COLUMNS = 79

const rowsOf = ({ out }: { readonly out: readonly string[] }): readonly string[] => out.join('\n').split('\n')

test('/help lists all groups with their commands, with a slash only in a session', async () => {
  await using world = await createCommandWorld()
  const typed = rowsOf(await world.type(world.bob, 'help'))
  const script = rowsOf(await world.exec(world.bob, 'help'))
  for (const { name, commands } of world.groups) {
    const row = typed.findIndex((one) => one.startsWith(`${name} `))
    for (const command of commands) {
      expect(
        typed
          .slice(row, row + 2)
          .join(' ')
          .split(/\s+/),
      ).toContain(`/${command.name}`)
      expect(script.join(' ').split(/\s+/)).toContain(command.name)
    }
  }
  expect(typed.at(-1)).toBe('All else is said to the room; @guide in it helps')
  expect(script.join('\n')).not.toMatch(/ \/[a-z]/)
  expect(script.at(-1)).toContain('A script names the room first')
})

test('/help begins with eight lines of existing commands for first steps', async () => {
  await using world = await createCommandWorld()
  for (const kind of ['session', 'script'] as const)
    for (const columns of [79, 39]) {
      const rows = overview(world.groups, kind, columns).split('\n')
      expect([rows.length <= ROWS, rows.filter((row) => row.length > columns)]).toEqual([true, []])
      const verbs = rows.slice(0, 8).map((row) => /^\/?([a-z-]+)/.exec(row)![1])
      expect(verbs.filter((verb) => !world.commands.some(({ name }) => name === verb))).toEqual([])
      const names = rows.slice(8, 8 + world.groups.length).map((row) => /^[a-z]+/.exec(row)![0])
      expect(names).toEqual(world.groups.map(({ name }) => name))
    }
  const typed = overview(world.groups, 'session', 79).split('\n')
  expect(typed[0]).toBe('/msg NAME TEXT  write to one person; nobody else reads it; /reply answers')
  const narrow = overview(world.groups, 'session', 39).split('\n')
  expect(narrow[0]).toBe('/msg NAME TEXT  write to one person')
  expect(narrow[8]).toBe('speech: /say /me /msg /reply /edit …')
})

test('/help shows as many commands of each group as fit in a row if there are too many', async () => {
  await using world = await createCommandWorld()
  const rows = overview([...world.groups, ...world.groups], 'session', 79).split('\n')
  expect(rows.filter((row) => row.startsWith('places '))).toHaveLength(2)
  expect(rows.at(-1)).toContain('@guide')
})

test('/help output for every group fits on 24 rows of 80 columns', async () => {
  await using world = await createCommandWorld()
  for (const words of ['', 'keys', 'room', ...world.groups.map(({ name }) => name)]) {
    const rows = rowsOf(await world.type(world.bob, `help ${words}`))
    expect([words, rows.length <= ROWS, rows.filter((row) => row.length > COLUMNS)]).toEqual([
      words,
      true,
      [],
    ])
  }
})

test('help for every group fits on 24 rows of 40 columns and shows each command', async () => {
  await using world = await createCommandWorld()
  for (const kind of ['session', 'script'] as const) {
    const shown = world.groups.map((group) => groupHelp(group, kind, 39))
    for (const text of [overview(world.groups, kind, 39), ...shown])
      expect([
        text,
        text.split('\n').length <= ROWS,
        text.split('\n').filter((row) => row.length > 39),
      ]).toEqual([text, true, []])
    // A form that is wider than a row may be cut in a group that would be longer than the window.
    for (const [at, { name, commands }] of world.groups.entries())
      for (const command of commands) {
        const form = usage(command, kind)
        const isWhole = form.length < 39 && !['order', 'timers'].includes(name)
        expect(shown[at]?.replaceAll('\n  ', ' ')).toContain(isWhole ? form : `${command.name} `)
      }
  }
  expect(groupHelp(world.groups[0]!, 'session', 39).split('\n').slice(0, 6)).toEqual([
    'speech: speak to all in the room, or to',
    '  one person',
    '/say [TEXT…]',
    '  say something',
    '/me TEXT…  e.g. /me waves',
    '  say what you do',
  ])
})

test('/help @MODEL explains how to ask a model', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'help @guide')).toEqual(
    done('a model is asked in the room: type @guide help, without /help; /models lists the models'),
  )
  expect(await world.exec(world.bob, 'help @guide')).toEqual(
    done('a model is asked with ask ROOM @guide TEXT; models lists the models'),
  )
})

test('/help GROUP shows the form, summary and example of each command', async () => {
  await using world = await createCommandWorld()
  for (const { name, commands } of world.groups) {
    const text = (await world.type(world.bob, `help ${name}`)).out.join('\n')
    expect(commands.length).toBeLessThanOrEqual(10)
    for (const command of commands)
      expect(text).toContain(
        command.example === '' || usage(command, 'session').length > 79
          ? `/${command.name}`
          : `/${command.name} ${command.example}`,
      )
  }
  expect(rowsOf(await world.type(world.bob, 'help speech')).slice(0, 3)).toEqual([
    'speech: speak to all in the room, or to one person',
    '/say [TEXT…]  e.g. /say the build is green',
    '  say something',
  ])
})

test('the summary of a command is the half line before its semicolon', async () => {
  await using world = await createCommandWorld()
  const summaryOf = createSummaryOf(world.commands)
  for (const { name, summary } of world.commands) {
    const short = summaryOf(`/${name}`)
    expect(short).not.toContain(';')
    expect(summary.startsWith(short ?? 'no summary')).toBe(true)
  }
  expect([summaryOf('help'), summaryOf('@qwen')]).toEqual([undefined, undefined])
})

test('no command group or foreign command has the name of one of our commands', async () => {
  await using world = await createCommandWorld()
  const names = new Set(world.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  expect(world.groups.map(({ name }) => name).filter((name) => names.has(name))).toEqual([])
  expect([...FOREIGN_COMMANDS.keys()].filter((word) => names.has(word))).toEqual([])
  expect(world.commands.length).toBe(new Set(world.commands.map(({ name }) => name)).size)
})

test('/help COMMAND shows the usage, arguments and example as the caller types them', async () => {
  await using world = await createCommandWorld()
  const summary = 'invite a person to this private room; they are notified at once, or at their next login'
  const name = 'NAME: a person who was here before'
  expect(await world.type(world.bob, 'help /INVITE')).toEqual(
    done(`/invite NAME\n  ${summary}\n  ${name}\n  such as: /invite bob`),
  )
  expect(await world.exec(world.bob, 'help invite')).toEqual(
    done(`invite ROOM NAME\n  ${summary}\n  ${name}\n  such as: invite ROOM bob`),
  )
  expect((await world.type(world.bob, 'help dm')).out.join()).toContain('also called: w, whisper, dm')
})

test('/help keys lists the keys and names /keys', async () => {
  await using world = await createCommandWorld()
  const { out } = await world.type(world.bob, 'help keys')
  for (const { keys, does } of KEY_HELP) expect(out[0]?.replace(/ +/g, ' ')).toContain(`${keys} ${does}`)
  expect(out[1]).toContain('/keys ')
})

test('/help WORDS searches names first, then descriptions and keys', async () => {
  await using world = await createCommandWorld()
  const found = rowsOf(await world.type(world.bob, 'help private room')).filter((row) => row.startsWith('/'))
  expect(found[0]).toMatch(/^\/invite /)
  expect(found.join()).toContain('/create ')
  expect(rowsOf(await world.type(world.bob, 'help clear screen'))).toEqual([
    'Ctrl-L  clear the screen',
    '/clear',
    '  clear the screen, as Ctrl-L does',
  ])
  expect(rowsOf(await world.type(world.bob, 'help the')).at(-1)).toMatch(/^\d+ more match/)
  expect(await world.type(world.bob, 'help whois')).toEqual(
    done('/who lists who is here, ops and admins marked'),
  )
})

test.each([
  ['how do I stop', 'Ctrl-X'],
  ['how do I send a file?', 'scp FILE HOST:ROOM/'],
  ['who is here?', '/who'],
  ['how do I talk to bob alone', '/msg '],
  ['where is my timezone', '/set timezone Europe/Berlin chooses'],
])('/help finds for the question "%s" the same commands as @guide', async (question, beginning) => {
  await using world = await createCommandWorld()
  const rows = rowsOf(await world.type(world.bob, `help ${question}`))
  expect(rows[0]!.startsWith(beginning)).toBe(true)
  const script = rowsOf(await world.exec(world.bob, `help ${question}`))
  expect(script[0]!.startsWith(beginning.replace('/set', 'set').replace(/^\//, '').trim())).toBe(true)
})

test.each([
  ['jion', 'no command and no key has "jion"; did you mean /join?'],
  ['__proto__', 'no command and no key has "__proto__"; /help lists the commands'],
  ['x'.repeat(50), `no command and no key has "${'x'.repeat(40)}"; /help lists the commands`],
  ['('.repeat(4000), `no command and no key has "${'('.repeat(40)}"; /help lists the commands`],
])('help for the unknown word %s is refused', async (word, sentence) => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, `help ${word}`)).toEqual(refused(sentence))
})

test('the advice for commands of other chat programs names only existing commands', async () => {
  await using world = await createCommandWorld()
  const names = new Set(world.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  for (const [word, advice] of FOREIGN_COMMANDS) {
    for (const [, verb] of advice.matchAll(/(?<![\w/¯])\/([a-z]+)/g))
      expect([word, verb, names.has(verb!)]).toEqual([word, verb, true])
    expect(await world.type(world.bob, word)).toMatchObject({
      status: 2,
      err: [`there is no command /${word}; ${advice}`],
    })
  }
  expect((await world.exec(world.bob, 'whois bob')).err).toEqual([
    'there is no command whois; who lists who is here, ops and admins marked',
  ])
})
