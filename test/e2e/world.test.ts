import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says } from '../support/model-server.ts'
import { createModelStageHere } from '../support/stage.ts'

const stage = await forAllTests(
  createModelStageHere(
    `
[limits]
rate_burst = 1000
`,
    { isShared: true },
  ),
)
await stage.claim('rhea')
for (const [room, ...flags] of [['attic'], ['secret-den', '--private']]) {
  await stage.as('alice', ['create', ...flags, room!])
}
await stage.as('rhea', ['portal', 'lobby', 'north', 'attic'])
await stage.as('alice', ['portal', 'attic', 'south', 'lobby'])
await stage.as('alice', ['portal', 'attic', 'trapdoor', 'secret-den'])

const out = async (name: string, ...words: string[]): Promise<string> => (await stage.as(name, words)).stdout
const guide = (name: string, room: string, tool: string, args: object = {}): Promise<string> =>
  out(name, 'ask', room, '@guide', `call ${tool} ${JSON.stringify(args)}`)

test('/exits shows only exits to rooms that the person can see', async () => {
  expect(await out('alice', 'exits', 'attic')).toBe('south  lobby\ntrapdoor  secret-den\n')
  expect(await out('bob', 'exits', 'attic')).toBe('south  lobby\n')
  expect(await out('rhea', 'exits', 'attic', '--json')).toBe('[{"direction":"south","room":"lobby"}]\n')
})

test('an exit to a private room appears in no output that non-members can read', async () => {
  for (const tool of ['exits', 'rooms']) await guide('alice', 'attic', tool)
  const entries = (await out('bob', 'history', 'attic', '-n', '500', '--json')).trim().split('\n')
  const ids = new Set(entries.flatMap((line) => (JSON.parse(line) as { turn?: string }).turn ?? []))
  expect(ids.size).toBe(2)
  const read = await Promise.all([
    ...[...ids].map((id) => out('bob', 'turn', 'attic', id)),
    out('bob', 'exits', 'attic', '--json'),
    out('bob', 'kv', 'attic', '--json'),
    out('bob', 'wrap', 'attic', '@guide', '--json'),
    out('bob', 'rooms', '--json'),
    guide('bob', 'attic', 'exits'),
    guide('bob', 'attic', 'rooms'),
  ])
  for (const text of [...entries, ...read]) expect(/trapdoor|secret-den/.test(text)).toBe(false)
  const hidden = await guide('bob', 'attic', 'go', { direction: 'trapdoor' })
  const missing = await guide('bob', 'attic', 'go', { direction: 'trapdxxr' })
  expect(hidden).toContain('ERROR: ')
  expect(hidden.replace('trapdoor', 'trapdxxr')).toBe(missing)
})

test('an exit can be removed with /portal', async () => {
  await stage.as('rhea', ['portal', 'lobby', 'up', 'attic'])
  expect(await out('rhea', 'portal', 'lobby', 'up', '-')).toBe('the exit up is gone\n')
  expect(await stage.as('rhea', ['portal', 'lobby', 'up', '-'])).toMatchObject({ exitCode: 1 })
})

test('a fork copies vibe, tools, script and key-values, but not the log or the owner', async () => {
  await stage.as('alice', ['vibe', 'attic', 'dusty'])
  await stage.as('alice', ['tools', 'attic', 'internal', '!say'])
  await stage.as('alice', ['kv', 'attic', 'colour', 'blue'])
  const source = 'function default_wrap(t) return wrap(t):system():tools(room_tool_scope()):room() end'
  await stage.as('alice', ['script', 'attic', 'set'], { input: source })
  expect(await out('bob', 'fork', 'attic', 'loft')).toBe('made loft like attic; it is yours\n')
  expect(await out('bob', 'vibe', 'loft')).toBe('dusty\n')
  expect(await out('bob', 'kv', 'loft', 'colour')).toBe('blue\n')
  expect(await out('bob', 'script', 'loft', 'show')).toContain(source)
  const { scope } = JSON.parse(await out('bob', 'tools', 'loft', '--json')) as { scope: unknown }
  expect(scope).toEqual(['internal', '!say'])
  expect(await out('bob', 'history', 'loft')).toBe('')
  expect((await stage.as('bob', ['topic', 'loft', 'mine now'])).exitCode).toBe(0)
  expect(await out('bob', 'exits', 'loft')).toBe('south  lobby\n')
})

test('a fork of a private room is private, and a fork to a taken name is rejected', async () => {
  expect(await out('alice', 'fork', 'secret-den', 'cave')).toContain('and private')
  expect(await out('bob', 'rooms')).not.toContain('cave')
  expect(await stage.as('bob', ['fork', 'secret-den', 'mine'])).toMatchObject({ exitCode: 1 })
  expect(await stage.as('bob', ['fork', 'attic', 'cave'])).toMatchObject({
    exitCode: 1,
    stderr: 'the name cave is taken; choose another\n',
  })
})

test('a model can move to another room only if managers of both turned /nav on', async () => {
  expect(await out('bob', 'nav', 'lobby')).toBe('off\n')
  expect((await stage.as('bob', ['nav', 'lobby', 'on'])).exitCode).toBe(1)
  expect((await stage.as('rhea', ['nav', 'lobby', 'maybe'])).exitCode).toBe(2)
  await stage.as('rhea', ['nav', 'lobby', 'on'])
  expect(await guide('bob', 'lobby', 'go', { direction: 'north' })).toContain('nav is off in attic')
  await stage.as('alice', ['nav', 'attic', 'on'])
  expect(await guide('bob', 'lobby', 'go', { direction: 'north' })).toContain('Room: attic')
})

test('a side turn returns its answer to its turn, and the log has it as a thread', async () => {
  stage.models.play(
    calls('spawn_agent', { prompt: 'add up', tools: ['calc*'] }),
    calls('calculator', { expression: '40+2' }),
  )
  stage.models.play(says('it is 42'), says('The answer: 42'))
  const { stdout, exitCode } = await stage.as('alice', ['ask', 'lobby', '@qwen', 'how much?'])
  expect({ stdout, exitCode }).toEqual({ stdout: 'The answer: 42\n', exitCode: 0 })
  const bodies = stage.models.requests.slice(-4).map((request) => request.body)
  expect(bodies[1]!.tools!.map((tool) => tool.function.name)).toEqual(['calculator'])
  expect(JSON.stringify(bodies[1]!.messages)).not.toContain('how much?')
  expect(bodies[3]!.messages.at(-1)).toMatchObject({ role: 'tool', content: 'it is 42' })
  const log = (await out('bob', 'history', 'lobby', '-n', '6', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; thread?: string; turn?: string })
  expect(log.map(({ kind, thread }) => [kind, thread !== undefined])).toEqual([
    ['tool_call', false],
    ['tool_call', true],
    ['tool_result', true],
    ['reply', true],
    ['tool_result', false],
    ['reply', false],
  ])
  expect(log[1]!.thread).toBe(log[5]!.turn)
  expect(await out('bob', 'history', 'lobby', '-n', '3')).toContain('-- (side turn) qwen: it is 42')
})

test('a side turn of a script may use only the tools that --allow names', async () => {
  const write = { file_path: 'made.txt', content: 'by a side turn' }
  for (const [flags, expected] of [
    [[], /^ERROR: Permission denied/],
    [['--allow', 'write_file'], /made\.txt/],
  ] as const) {
    stage.models.play(
      calls('fork', { prompts: ['write it'] }),
      calls('write_file', write),
      says('tried'),
      says('end'),
    )
    await stage.as('rhea', ['ask', ...flags, 'lobby', '@qwen', 'write'])
    expect(stage.models.requests.at(-2)!.body.messages.at(-1)!.content).toMatch(expected)
  }
})
