import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { openHttpAgent } from '../support/mcp/http-agent.ts'
import { createStageHere } from '../support/stage.ts'

const stage = await forAllTests(
  createStageHere({
    isShared: true,
    config: '[limits]\nrate_burst = 1000\nrate_per_s = 1000\n',
    http: true,
  }),
)
await stage.claim('rhea')
for (const line of ['create den --private', 'create hall']) await stage.as('rhea', line.split(' '))

const LONG = { timeout_s: 600 }
const say = (room: string, text: string) => stage.as('rhea', ['say', room, text])
const tokenOf = async (name: string, ...flags: readonly string[]): Promise<string> =>
  (JSON.parse((await stage.as(name, ['token', 'new', '--json', ...flags])).stdout) as { token: string }).token

const msg = (text: string) => stage.as('rhea', ['msg', 'alice', text])

test.each([{}, { modern: true as const }])(
  'the wait tool returns each direct message once, including one sent between two calls: %j',
  async (era) => {
    await using agent = await openAgent(stage, 'alice', era)
    const waiting = agent.call('wait', LONG)
    await msg('the code is 4711')
    expect((await waiting).text).toMatch(
      /^Between the two marks is what the message of rhea to you alone says\. .*\n<<<(.*)>>>\nthe code is 4711\n<<<end of \1>>>$/,
    )
    await msg('and 4712')
    expect((await agent.call('wait', LONG)).text).toContain('\nand 4712\n')
    await using again = await openAgent(stage, 'alice', era)
    const next = again.call('wait', LONG)
    await msg('and 4713')
    expect((await next).text).not.toMatch('4711|4712')
  },
)

test('the wait tool returns to an agent the reminder that it made', async () => {
  await using agent = await openAgent(stage, 'alice')
  const made = await agent.call('remind', { when: '1s', text: 'look at --the build' })
  expect(made.text).toMatch(/^reminder \d+ rings /)
  expect((await agent.call('wait', LONG)).text).toMatch(
    /^Between the two marks is what the message of reminder to you alone says\. .*\n<<<(.*)>>>\nlook at --the build\n<<<end of \1>>>$/,
  )
  expect(await agent.call('remind', { when: 'soon', text: 'tea' })).toMatchObject({ isError: true })
})

test("an agent gets a routine's line that names it, with the number of the routine", async () => {
  await using agent = await openAgent(stage, 'alice')
  await agent.call('join', { room: 'hall' })
  const waiting = agent.call('wait', LONG)
  await stage.as('rhea', ['remind', '--room', 'hall', '1s', '@alice look at the build'])
  expect((await waiting).text).toContain('what the line of rhea (routine 1) in hall says')
})

test("a message after the last wait of an agent is delivered to the person's next agent", async () => {
  {
    await using agent = await openAgent(stage, 'alice')
    await agent.call('wait', { timeout_s: 1 })
    await msg('nobody waits for this')
    await agent.waitFor('nobody waits for this')
  }
  await using again = await openAgent(stage, 'alice')
  expect((await again.call('wait', LONG)).text).toContain('nobody waits for this')
})

test('the wait tool returns the next mention of the agent, even one between two calls', async () => {
  await using agent = await openAgent(stage, 'alice')
  await agent.call('join', { room: 'lobby' })
  const waiting = agent.call('wait', LONG)
  await say('lobby', 'nobody in particular')
  await say('lobby', 'alice: are you there?')
  const { text, isError } = await waiting
  expect(isError).toBe(false)
  expect(text).toMatch(
    /^Between the two marks is what the line of rhea in lobby says\. .*\n<<<(.*)>>>\nalice: are you there\?\n<<<end of \1>>>$/,
  )
  await say('lobby', '@alice one more thing')
  await agent.waitFor('@alice one more thing')
  expect((await agent.call('wait', LONG)).text).toContain('@alice one more thing')
})

test('an agent with a protocol before 2026-07-28 gets mentions as Claude Code channel notifications', async () => {
  await using agent = await openAgent(stage, 'alice')
  expect(agent.client.getServerCapabilities()?.experimental).toEqual({ 'claude/channel': {} })
  await agent.call('join', { room: 'lobby' })
  await say('lobby', 'hello, all')
  await say('lobby', '@alice hello by channel')
  await agent.waitFor('line of rhea in lobby')
  const told = agent.heard.filter(({ method }) => method === 'notifications/claude/channel')
  expect(told).toMatchObject([
    {
      params: {
        content: expect.stringMatching(/^Between .*\n<<<(.*)>>>\n@alice hello by channel\n<<</) as string,
        meta: { author: 'rhea', room: 'lobby', kind: 'message' },
      },
    },
  ])
  await using modern = await openAgent(stage, 'alice', { modern: true })
  expect(modern.client.getServerCapabilities()?.experimental).toBeUndefined()
  await modern.call('join', { room: 'lobby' })
  const waiting = modern.call('wait', LONG)
  await say('lobby', '@alice hello, both')
  expect((await waiting).text).toContain('@alice hello, both')
})

test.each([{}, { modern: true as const }])(
  'an agent over HTTP gets mentions only from the rooms of its token, %j',
  async (era) => {
    await using bound = await openHttpAgent(stage.server.http, await tokenOf('bob', '--rooms', 'hall'), era)
    await using whole = await openHttpAgent(stage.server.http, await tokenOf('bob'), era)
    for (const room of ['lobby', 'hall']) await whole.call('join', { room })
    expect(await bound.call('join', { room: 'lobby' })).toMatchObject({ isError: true })
    await bound.call('join', { room: 'hall' })
    const waiting = bound.call('wait', LONG)
    await say('lobby', '@bob in the lobby')
    expect((await whole.call('wait', LONG)).text).toContain('@bob in the lobby')
    await say('hall', '@bob in the hall')
    const { text } = await waiting
    expect(text).toContain('@bob in the hall')
    expect(text).not.toContain('@bob in the lobby')
    expect(await bound.call('wait', { room: 'lobby', timeout_s: 1 })).toMatchObject({ isError: true })
  },
)
