import { expect, test } from 'vitest'
import fc from 'fast-check'
import { failed, ok } from '../../../../src/tools/results/result.ts'
import { screenOf } from '../../../support/chat-parts.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import { createCommandWorld, done, jsonOf, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'
import type { ToolForm } from '../../../../src/wrap/prompt.ts'
import type { ListedTool, ToolList } from '../../../../src/turns/tool-list.ts'
import { promptTool, samplePrompt } from '../../../support/model-request.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'
import { pricesOf, toolLines } from '../../../../src/commands/verbs/tool-list.ts'

const createScene = () => createCommandWorld(tool('Grep'), tool('calculator'))

test('/tools lists the tools with their token cost, and hidden ones with the reason', async () => {
  await using world = await createScene()
  const all = (await world.type(world.bob, 'tools')).out.join().split('\n')
  expect(all[0]).toMatch(/^scope all: 2 of 2 tools, \d+ tokens for @qwen$/)
  expect(all[1]).toMatch(/^builtin {2}2 tools {2}\d+ tokens {2}2 full$/)
  expect(all[2]).toMatch(/^\+ Grep {8}read +\d+ {2}full$/)
  const set = await world.exec(world.ann, 'tools hall Gr* calc* !Grep')
  expect(set.out[0]).toMatch(/^scope Gr\* calc\* !Grep: 1 of 2 tools, \d+ tokens for @qwen$/)
  expect(await world.texts('hall')).toEqual(['tools: Gr* calc* !Grep'])
  const [, group, grep, calculator] = (await world.type(world.bob, 'tools')).out.join().split('\n')
  expect(group).toMatch(
    /^builtin {2}2 tools {2}\d+ tokens {2}1 full, 1 hidden \(room: taken away by !Grep\)$/,
  )
  expect(grep).toMatch(/^- Grep .* {2}.*!Grep/)
  expect(calculator).toMatch(/^\+ calculator .* {2}full$/)
})

test.each([
  ['grpe', 'grpe matches no tool; did you mean Grep?'],
  ['Grep !calcluator', '!calcluator matches no tool; did you mean !calculator?'],
  ['calc* nope', 'nope matches no tool'],
  ['Gr* !Grep', 'Gr* !Grep leaves no tool; case counts, and /tools off takes all away'],
])('/tools %s is refused and changes nothing', async (words, problem) => {
  await using world = await createScene()
  await world.type(world.ann, 'tools calculator')
  const sentence = `${problem}; the scope was not changed`
  expect(await world.type(world.ann, `tools ${words}`)).toEqual(refused(sentence))
  expect(await world.exec(world.ann, `tools hall ${words}`)).toEqual(
    refused(sentence.replace('/tools', 'tools')),
  )
  expect(jsonOf(await world.exec(world.bob, 'tools hall --json'))).toMatchObject({ scope: ['calculator'] })
  expect(await world.texts('hall')).toEqual(['tools: calculator'])
})

test('/tools reports the same token cost of each tool as /wrap, in text and JSON', async () => {
  await using world = await createScene()
  const wrap = jsonOf(await world.exec(world.bob, 'wrap hall --json')) as {
    readonly budget: { readonly tools: number }
    readonly tools: readonly { readonly name: string; readonly tokens: number }[]
  }
  const list = jsonOf(await world.exec(world.bob, 'tools hall --json')) as {
    readonly tokens: number
    readonly tools: readonly { readonly name: string; readonly tokens: number }[]
  }
  expect(list.tools.map(({ name, tokens }) => ({ name, tokens }))).toEqual(
    wrap.tools.map(({ name, tokens }) => ({ name, tokens })),
  )
  expect(list.tokens).toBe(wrap.budget.tools)
  const lines = (await world.exec(world.bob, 'tools hall')).out.join('\n')
  const picture = (await world.exec(world.bob, 'wrap hall @qwen full')).out.join('\n')
  expect(lines).toContain(`, ${wrap.budget.tools} tokens for @qwen`)
  expect(picture).toMatch(new RegExp(`definitions +${wrap.budget.tools} `))
  for (const { name, tokens } of wrap.tools) {
    expect(lines).toMatch(new RegExp(`${name} +read +${tokens} `))
    expect(picture).toMatch(new RegExp(`^ +${name} +${tokens} `, 'm'))
  }
})

test('/tools marks tools that the script does not send, and excludes them from the total', async () => {
  await using world = await createScene()
  const script = 'function default_wrap(t) return wrap(t):system():tools("Grep") end'
  await world.exec(world.ann, 'script hall set', script)
  const [first = '', , grep, calculator] = (await world.exec(world.bob, 'tools hall')).out.join().split('\n')
  expect(grep).toMatch(/ full$/)
  expect(calculator).toMatch(/ \d+ {2}not sent, \/wrap tells why$/)
  expect(/(\d+) tokens for/.exec(first)?.[1]).toBe(/ (\d+) {2}full$/.exec(grep ?? '')?.[1])
})

test('/tools --list shows the matching tools to everybody without changing the scope', async () => {
  await using world = await createScene()
  await world.exec(world.ann, 'tools hall Grep')
  const [, group, tool, ...rest] = (await world.type(world.bob, 'tools --list calc*')).out.join().split('\n')
  expect(group).toBe('builtin  1 tool  0 tokens  1 hidden (room: not in the scope)')
  expect(tool).toMatch(/^- calculator {2}read {2}\d+ {2}room: not in the scope$/)
  expect(rest).toEqual([])
  const all = (await world.exec(world.bob, 'tools hall --list all')).out.join()
  expect(all).toMatch(/\n\+ Grep .*\n- calculator /)
  const list = jsonOf(await world.exec(world.bob, 'tools hall --json --list read --list !Grep'))
  expect(list).toMatchObject({ scope: ['Grep'], visible: 1, tools: [{ name: 'calculator' }] })
  expect((list as { tools: unknown[] }).tools).toHaveLength(1)
  expect(await world.texts('hall')).toEqual(['tools: Grep'])
})

test.each([
  ['--list grpe', 'grpe matches no tool; did you mean Grep?'],
  ['--list mcp', 'mcp matches no tool'],
  ['--list \u200b', 'the patterns have no visible character'],
  [`--list ${'x'.repeat(201)}`, `a pattern has at most 200 characters: ${'x'.repeat(40)}…`],
])('/tools %s is refused and lists nothing', async (words, problem) => {
  await using world = await createScene()
  const { status, out, err } = await world.exec(world.bob, `tools hall ${words}`)
  expect({ status, out }).toEqual({ status: 1, out: [] })
  expect(err.join()).toContain(problem)
})

test('/tools rejects --list together with a new scope', async () => {
  await using world = await createScene()
  const { status, err } = await world.exec(world.ann, 'tools hall --list Grep calculator')
  expect(status).toBe(2)
  expect(err.join()).toContain('--list shows tools and sets no scope')
  expect(await world.texts('hall')).toEqual([])
})

test('/tools shows only groups if a room has over 60 tools, and says how to see the tools', async () => {
  await using world = await createCommandWorld(...Array.from({ length: 61 }, (_, at) => tool(`t${at}`)))
  const lines = (await world.type(world.bob, 'tools')).out.join().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(/^scope all: 61 of 61 tools, \d+ tokens for @qwen$/),
    expect.stringMatching(/^builtin {2}61 tools {2}\d+ tokens {2}61 full$/),
    '/tools --list NAME lists the tools of a group',
    '/run find_tools {"query":"…"} finds some',
  ])
  expect((await world.exec(world.bob, 'tools hall')).out.join()).toContain('\ntools hall --list NAME lists')
  expect((await world.type(world.bob, 'tools --list builtin')).out.join().split('\n')).toHaveLength(63)
})

test('/tools removes invisible characters from patterns and refuses patterns with nothing else', async () => {
  await using world = await createScene()
  await world.exec(world.ann, 'tools hall Gr\u200bep \u{e0041} calc\u009b31m*')
  const list = jsonOf(await world.exec(world.bob, 'tools hall --json'))
  expect(list).toMatchObject({ scope: ['Grep', 'calc*'], visible: 2 })
  expect(await world.texts('hall')).toEqual(['tools: Grep calc*'])
  expect(await world.exec(world.ann, 'tools hall \u200b')).toEqual(
    refused('the patterns have no visible character; the scope was not changed'),
  )
})

test('/tools refuses patterns over 200 characters and scopes over 200 patterns', async () => {
  await using world = await createScene()
  expect(await world.type(world.ann, `tools ${'x'.repeat(201)}`)).toEqual(
    refused(`a pattern has at most 200 characters: ${'x'.repeat(40)}…`),
  )
  expect(await world.type(world.ann, `tools ${'x '.repeat(201)}`)).toEqual(
    refused('a scope has at most 200 patterns'),
  )
  expect(await world.texts('hall')).toEqual([])
})

const echo = tool('echo')
const schemaOf = (type: string, required: readonly string[]) => ({
  schema: { type: 'object', properties: { a: { type }, b: { type: 'string' } }, required },
})
const broken = tool('broken', () => failed('it broke\nin two'))

test.each([
  ['run echo {"q":"some longer text"}', '{"q":"some longer text"}'],
  ['run broken', 'ERROR: it broke\nin two'],
])('the line %s runs in the background and prints its whole result to the session', async (line, result) => {
  await using world = await createCommandWorld(echo, broken)
  const { caller, next } = sessionIn(world.turnWorld.room, world.bob)
  const told = next()
  expect(await world.runner.command(line, caller)).toBe(0)
  expect(await told).toBe(result)
})

test('/run of a tool with write access asks permission once for the same arguments', async () => {
  const dice = tool('dice', (args) => ok(`rolled ${JSON.stringify(args)}`), { access: 'write' })
  await using world = await createCommandWorld(dice)
  expect(await world.exec(world.bob, 'run hall dice {"q":"3"}')).toEqual(
    refused(
      'ERROR: Permission denied: use dice {"q":"3"}? (no script of bob can allow it in hall; in a session bob is asked)',
    ),
  )
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  await hall.enter(screenOf(world.bob))
  const kinds: string[] = []
  const roll = async (q: string): Promise<string> => {
    const { caller } = sessionIn(hall, world.bob)
    const ended = new Promise<string>((resolve) => {
      const end = hall.listen({
        deliver(entry) {
          if (entry.kind === 'approval') kinds.push(entry.verdict)
          if (entry.kind === 'approval' && entry.verdict === 'asked')
            void world.type(world.bob, `allow room ${entry.question}`)
          if (entry.kind !== 'tool_result') return
          end()
          resolve(entry.text)
        },
      })
    })
    await world.runner.command(`run dice {"q":"${q}"}`, caller)
    return await ended
  }
  expect([await roll('3'), await roll('3'), await roll('4')]).toEqual([
    'rolled {"q":"3"}',
    'rolled {"q":"3"}',
    'rolled {"q":"4"}',
  ])
  expect(kinds).toEqual(['asked', 'room', 'asked', 'room'])
})

test.each([
  ['string', 'x  {y}', '{"a":"x  {y}"}'],
  ['string', '5', '{"a":"5"}'],
  ['number', '-0.5', '{"a":-0.5}'],
  ['integer', '7', '{"a":7}'],
  ['string', '{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
])('/run passes a tool that requires one %s the words %s as %s', async (type, words, args) => {
  await using world = await createCommandWorld(tool('one', undefined, schemaOf(type, ['a'])))
  expect(await world.exec(world.bob, `run hall one ${words}`)).toEqual(done(`${args}\n`))
})

test.each([
  ['string', ['a', 'b'], 'one takes JSON, such as run one {"a": "…", "b": "…"}'],
  ['string', [], 'one takes JSON, such as run one {"a": "…", "b": "…"}'],
  ['boolean', ['a'], 'one takes JSON, such as run one {"a": true}'],
  ['number', ['a'], 'a must be a number, such as run one 3'],
])(
  '/run refuses plain text for a tool with a %s that requires %j, and records nothing',
  async (type, required, why) => {
    await using world = await createCommandWorld(tool('one', undefined, schemaOf(type, required)))
    expect(await world.exec(world.bob, 'run hall one two')).toEqual(refused(why))
    expect(await world.texts('hall')).toEqual([])
  },
)

const listed = (source: string, id: string, reason = ''): ListedTool => ({
  tool: catalogue(sampleTool(id, { source }))[0]!,
  visible: reason === '',
  reason,
  tokens: 100,
})
const listOf = (tools: readonly ListedTool[]): ToolList => ({
  ...{ scope: 'all', tools, visible: 0, tokens: 0, warnings: [] },
})
const sent = (id: string, form: ToolForm, tokens: number) => ({ ...promptTool(id), form, tokens })

const tools = [
  listed('builtin', 'look'),
  listed('holler', 'holler_sample'),
  listed('holler', 'holler_of_a_very_long_name_that_is_longer_than_a_line'),
  listed('builtin', 'grep', 'Grep stands for it'),
  listed('builtin', 'say', 'role: guests may use only tools that read, this one has write access'),
  listed('builtin', 'left'),
]
const prompt = samplePrompt({
  tools: [sent('look', 'short', 40), sent('holler_sample', 'deferred', 0), sent('find_tools', 'full', 71)],
})
const lines = (form: 'folded' | 'unfolded', width: number, some = tools) =>
  toolLines(some, pricesOf(listOf(some), { model: 'qwen', prompt }), form, width)

test('a folded tool list shows the size, tokens and states of each group', () => {
  expect(lines('folded', 80)).toEqual([
    'builtin  4 tools  40 tokens  1 short, 1 not sent, 2 hidden',
    'holler   2 tools   0 tokens  1 deferred, 1 not sent',
  ])
})

test('an unfolded tool list shows each tool with its form or why it is left out', () => {
  expect(lines('unfolded', Infinity)).toEqual([
    'builtin  4 tools  40 tokens  1 short, 1 not sent, 2 hidden',
    '+ look                                                   read   40  short',
    '- grep                                                   read  100  Grep stands for it',
    '- say                                                    read  100  role: guests may use only tools that read, this one has write access',
    '+ left                                                   read  100  not sent, /wrap tells why',
    'holler   2 tools   0 tokens  1 deferred, 1 not sent',
    '+ holler_sample                                          read    0  deferred',
    '+ holler_of_a_very_long_name_that_is_longer_than_a_line  read  100  not sent, /wrap tells why',
  ])
})

test('a tool list on 40 columns moves details that do not fit to the next line', () => {
  expect(lines('unfolded', 39)).toEqual([
    'builtin  4 tools  40 tokens',
    '    1 short, 1 not sent, 2 hidden',
    '+ look',
    '    read  40  short',
    '- grep',
    '    read  100  Grep stands for it',
    '- say',
    '    read  100  role: guests may use',
    '    only tools that read, this one has',
    '    write access',
    '+ left',
    '    read  100  not sent, /wrap tells',
    '    why',
    'holler   2 tools   0 tokens',
    '    1 deferred, 1 not sent',
    '+ holler_sample',
    '    read  0  deferred',
    '+ holler_of_a_very_long_name_that_is_longer_than_a_line',
    '    read  100  not sent, /wrap tells',
    '    why',
  ])
})

test('a tool list gives one reason if all tools are hidden, and no forms if no prompt exists', () => {
  const off = ['a', 'b'].map((id) => listed('holler', id, 'room: tools are off'))
  expect(lines('folded', 80, off)).toEqual(['holler  2 tools  0 tokens  2 hidden (room: tools are off)'])
  const prices = pricesOf(listOf(tools), { model: 'qwen' })
  expect(toolLines(tools, prices, 'folded', 80)).toEqual([
    'builtin  4 tools  200 tokens  2 hidden',
    'holler   2 tools  200 tokens',
  ])
  expect(toolLines([], prices, 'unfolded', 80)).toEqual([])
})

test('a tool list drops no tool at any width, and only a name exceeds the line', () => {
  const anyListed = fc
    .record({
      source: fc.constantFrom('builtin', 'holler', 'a-server-of-thirty-two-characters'),
      id: fc.string({ unit: fc.constantFrom('a', 'b', '_', '7'), minLength: 1, maxLength: 64 }),
      reason: fc.constantFrom('', '', 'Grep stands for it', 'room: not in the scope'),
    })
    .map(({ source, id, reason }) => listed(source, id, reason))
  fc.assert(
    fc.property(fc.array(anyListed, { maxLength: 30 }), fc.integer({ min: 10, max: 120 }), (some, width) => {
      const all = lines('unfolded', width, some)
      const words = all.join(' ').split(/ +/)
      for (const { tool, reason } of some) {
        expect(words).toContain(tool.name)
        expect(words).toContain(tool.source)
        for (const word of reason.split(' ')) expect(words.join(' ')).toContain(word)
      }
      expect(all.filter((line) => /^[+-]/.test(line))).toHaveLength(some.length)
      for (const line of all)
        if (
          line
            .trim()
            .replace(/^[+-] /, '')
            .includes(' ')
        )
          expect(line.length).toBeLessThanOrEqual(width)
    }),
  )
})
