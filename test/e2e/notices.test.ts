import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** What people are told by HTTP while they are not here. A person is told once a minute, so each test has its own. */
let stage: Stage<AnyServer>
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  const config = `[notify]\nallow = ["${receiver.url}"]\n[limits]\nrate_burst = 1000\n`
  stage = await createStageHere({ isShared: true, config })
  await stage.claim('rhea')
  for (const line of ['create dev', 'create den --private']) await stage.as('rhea', line.split(' '))
})
beforeEach(() => receiver.forget())
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const rhea = (...words: readonly string[]) => stage.as('rhea', words)
const say = (room: string, text: string) => rhea('say', room, text)
const setNotify = (name: string, address: string) => stage.as(name, ['set', 'notify', address])
/** Registers somebody whose notices go to a topic of the same name. */
async function register(name: string): Promise<void> {
  expect((await setNotify(name, `${receiver.url}/${name}`)).exitCode).toBe(0)
}
const told = async (count: number) => (await receiver.got(count)).map(({ path, body }) => `${path}: ${body}`)

describe('a person who is not here', () => {
  test('is told by a POST with a title that somebody mentioned them, without the text', async () => {
    await register('bob')
    await say('dev', '@bob the secret is out')
    const [notice] = await receiver.got(1)
    expect(notice).toMatchObject({
      path: '/bob',
      headers: { title: 'sshawl' },
      body: 'rhea mentioned you in dev',
    })
  })

  test('is told of a direct message, and once a minute at most', async () => {
    for (const name of ['carol', 'dora']) await register(name)
    await rhea('msg', 'carol', 'psst')
    await say('dev', '@carol and again')
    await say('dev', 'dora: hello')
    expect(await told(2)).toEqual(['/carol: rhea wrote to you', '/dora: rhea mentioned you in dev'])
  })

  test('is not told the name of a private room, and nothing of one that they may not see', async () => {
    for (const name of ['emil', 'fay']) await register(name)
    await rhea('invite', 'den', 'emil')
    await stage.as('emil', ['join', 'den'])
    await say('den', '@fay @emil look')
    expect(await told(1)).toEqual(['/emil: rhea mentioned you in a private room'])
    await say('dev', '@fay look')
    expect(await told(2)).toContain('/fay: rhea mentioned you in dev')
  })

  test('is not told of people whom they ignore', async () => {
    await register('gus')
    await stage.as('hal', ['whoami'])
    await stage.as('gus', ['ignore', 'hal'])
    await stage.as('hal', ['say', 'dev', '@gus buy this'])
    await stage.as('hal', ['msg', 'gus', 'buy this'])
    await say('dev', '@gus hello')
    expect(await told(1)).toEqual(['/gus: rhea mentioned you in dev'])
  })
})

test('a person in a session is told only while they are away', async () => {
  await register('ivy')
  await register('jon')
  await using ivy = await stage.open('ivy', '-T')
  ivy.write('I am here\n')
  await ivy.waitFor('I am here')
  await say('dev', '@ivy @jon look')
  expect(await told(1)).toEqual(['/jon: rhea mentioned you in dev'])
  ivy.write('/away lunch\n')
  await ivy.waitFor('away')
  await say('dev', '@ivy look')
  expect(await told(2)).toContain('/ivy: rhea mentioned you in dev')
})

describe('/set notify', () => {
  test('takes only addresses below the origins of the config', async () => {
    const refused = await setNotify('kim', 'https://elsewhere.example.org/kim')
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(receiver.url)])
    for (const wrong of ['nonsense', 'ftp://ntfy.sh/x', receiver.url.replace('//', '//a:b@')])
      expect((await setNotify('kim', wrong)).exitCode).toBe(1)
  })

  test('keeps the case of an address, and off ends the notices', async () => {
    await setNotify('lea', `${receiver.url}/MyTopic`)
    expect((await stage.as('lea', ['set', 'notify'])).stdout).toContain('/MyTopic')
    await setNotify('lea', 'off')
    await register('max')
    await say('dev', '@lea @max look')
    expect(await told(1)).toEqual(['/max: rhea mentioned you in dev'])
  })
})

test('a server whose config names no origins sends no notices and says so', async () => {
  await using other = await createStageHere()
  const { exitCode, stderr } = await other.as('bob', ['set', 'notify', `${receiver.url}/bob`])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('[notify] allow')])
})
