import { expect, test } from 'vitest'
import { handClock } from '../support/chat-parts.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { says } from '../support/model-server.ts'
import { startServerHere } from '../support/server-here.ts'
import { createModelStageHere } from '../support/stage.ts'

const MINUTE_MS = 60_000

/** Monday morning, years ahead, so that ids of the server's clock come after those of its first start. */
const clock = handClock(Date.UTC(2040, 0, 2, 8))
const stage = await forAllTests(createModelStageHere('', { isShared: true }))
await stage.goOnWith((options) => startServerHere({ ...options, clock }))
await stage.as('ann', ['create', 'den'])

async function out(name: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as(name, words)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

test('a routine of /every runs when it is due, and its line and the answer are shown', async () => {
  await using session = await stage.open('ann', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join den\r')
  await session.waitFor(/[-─]\S* den/)
  session.write('/set timezone Europe/Berlin\r')
  await session.waitFor('Europe/Berlin')
  session.write('/every mon-fri 10:00 @qwen sum up what was said\r')
  await session.waitFor('routine 1 of den runs next 2040-01-02 10:00 Europe/Berlin (in 1h)')
  await session.waitFor('next 10:00')
  stage.models.play(says('nobody said anything'))
  clock.advance(59 * MINUTE_MS)
  expect(stage.models.requests).toEqual([])
  clock.advance(MINUTE_MS)
  await session.waitFor(/ann \(routine 1\):\S* @qwen sum up what was said/)
  await session.waitFor('nobody said anything')
  // The next run is a day later.
  await session.waitFor('next tue 10:00')
  const log = async () =>
    (await out('ann', ['history', 'den', '--json']))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  await expect
    .poll(log)
    .toContainEqual(expect.objectContaining({ kind: 'reply', text: 'nobody said anything' }))
  expect(await log()).toContainEqual(
    expect.objectContaining({ kind: 'message', routine: 1, text: '@qwen sum up what was said' }),
  )
})

test('the status line shows the models that listen in a room and follows changes', async () => {
  await out('ann', ['create', 'salon'])
  await using session = await stage.open('bob', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join salon\r')
  await session.waitFor(/[-─]\S* salon/)
  expect(session.output()).not.toContain('qwen listens')
  await out('ann', ['listen', 'salon', '@qwen'])
  await session.waitFor('qwen listens')
})

test('a person can repeat a reminder that rang, in a session and by a script', async () => {
  await using session = await stage.open('bob', '-T')
  await session.waitFor('-- ')
  await out('bob', ['remind', '10m', 'the', 'tea', 'is', 'ready'])
  const ring = async (from: number): Promise<void> => {
    clock.advance(10 * MINUTE_MS - 1)
    expect(session.output().slice(from)).not.toContain('reminder -> you')
    clock.advance(1)
    await session.waitFor('reminder -> you: the tea is ready', from)
  }
  await ring(0)
  let from = session.output().length
  session.write('/remind again 10m\n')
  await session.waitFor(/reminder 2 rings .* \(in 10m\)/, from)
  await ring(from)
  from = session.output().length
  expect(await out('bob', ['remind', 'again', '10m'])).toMatch(/^reminder 3 rings .* \(in 10m\)/)
  await ring(from)
  expect(await stage.as('cleo', ['remind', 'again', '10m'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no reminder has rung for you yet') as string,
  })
})
