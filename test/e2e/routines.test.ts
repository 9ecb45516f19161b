import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says } from '../support/model-server.ts'
import { createModelStageHere } from '../support/stage.ts'

const stage = await forAllTests(createModelStageHere('', { isShared: true }))
await stage.as('ann', ['create', 'den'])

async function out(name: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as(name, words)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

test('a reminder of two seconds rings in a session of its person', async () => {
  await using session = await stage.open('bob', '-T')
  await session.waitFor('-- ')
  expect(await out('bob', ['remind', '2s', 'the', 'tea', 'is', 'ready'])).toMatch(/^reminder 1 rings .* UTC /)
  await session.waitFor('the tea is ready')
})

test('routines of a script are listed, paused and ended, and are there after a restart', async () => {
  expect(await out('ann', ['every', 'den', 'mon-fri', '09:00', 'stand', 'up'])).toMatch(
    /^routine 1 of den runs next .* 09:00 UTC .*; routines den end 1 ends it/,
  )
  await out('ann', ['listen', 'den', '@qwen'])
  expect(await out('ann', ['watch', 'den', 'disk', 'full', '@qwen', 'why?'])).toContain('"disk full"')
  expect(await out('ann', ['routines', 'den', 'pause', '1'])).toBe('routine 1 of den is paused\n')
  await stage.restart('SIGTERM')
  const listed = JSON.parse(await out('ann', ['routines', 'den', '--json'])) as readonly object[]
  expect(listed).toMatchObject([
    { number: 1, kind: 'calendar', person: 'ann', state: 'paused', reason: 'ann paused it' },
    { number: 2, kind: 'each', state: 'active' },
    { number: 3, kind: 'line', state: 'active' },
  ])
  await out('ann', ['listen', 'den', 'off'])
  expect((await stage.as('bob', ['routines', 'den', 'end', '1'])).exitCode).toBe(1)
  expect(await out('ann', ['routines', 'den', 'end', '1'])).toBe('routine 1 of den has ended\n')
})

test('a model makes a reminder for its requester after the requester allows it', async () => {
  await using session = await stage.open('cleo', '-T')
  stage.models.play(calls('remind', { when: '1s', text: 'turn the oven off' }), says('I will'))
  session.write('@qwen remind me of the oven\n')
  const asked = await session.waitFor(/question \d+: may [^]*?\/deny \d+\n/)
  expect(asked).toContain('remind cleo at ')
  expect(await out('cleo', ['routines', '-'])).not.toContain('oven')
  session.write(`/allow ${/question (\d+)/.exec(asked)![1]}\n`)
  await session.waitFor('reminder -> you: turn the oven off')
})

test('a model gets the reason why a time is invalid, and no permission question is asked', async () => {
  stage.models.play(calls('remind', { when: 'soon', text: 'tea' }), says('when?'))
  await out('cleo', ['ask', 'lobby', '@qwen', 'remind me'])
  const [result] = stage.models.requests.at(-1)!.body.messages.filter(({ role }) => role === 'tool')
  expect(result?.content).toContain('"soon" is no time: write 10m')
})

test('a person who enters a room reads which model listens there and its provider', async () => {
  await out('ann', ['create', 'salon'])
  await out('ann', ['listen', 'salon', '@qwen'])
  await using session = await stage.open('dan', '-T')
  session.write('/join salon\n')
  await session.waitFor('-- @qwen (through openai-compatible) listens here to lines that mention nobody')
  await out('ann', ['listen', 'salon', 'off'])
  const from = session.output().length
  session.write('/join lobby\n/join salon\n')
  await session.waitFor('-- salon', from)
  await session.waitFor(/here: |nobody else/, session.output().indexOf('-- salon', from))
  expect(session.output().slice(from)).not.toContain('listens here')
})

test('a person who enters a room reads the model and provider of a persona that listens there', async () => {
  await out('ann', ['create', 'study'])
  await out('ann', ['persona', 'study', 'reviewer', '@qwen', 'find', 'what', 'breaks'])
  await out('ann', ['listen', 'study', '@reviewer'])
  await using session = await stage.open('dan', '-T')
  session.write('/join study\n')
  await session.waitFor(
    '-- @reviewer (@qwen, through openai-compatible) listens here to lines that mention nobody',
  )
})
