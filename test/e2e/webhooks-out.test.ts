import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createHttpCaller, withBearer } from '../support/http-caller.ts'
import { operator } from '../support/operator.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { createStage, type Stage } from '../support/stage.ts'

/** What a room's script sends to webhooks of the config. */
let stage: Stage
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  const webhook = (name: string, path: string, more = '') =>
    `[[webhooks]]\nname = "${name}"\nurl = "${receiver.url}${path}"\n${more}\n`
  stage = await createStage({
    isShared: true,
    env: { TEST_HOOK_AUTH: 'Bearer secret' },
    http: true,
    config: [
      webhook('ci', '/ci', 'header_env = { Authorization = "TEST_HOOK_AUTH" }'),
      webhook('ops', '/ops', 'rooms = ["ops"]'),
      '[limits]\nrate_burst = 1000\n',
    ].join('\n'),
  })
  await stage.claim('rhea')
  await stage.as('rhea', ['create', 'dev'])
  await stage.as('rhea', ['script', 'dev', 'set'], { input: SCRIPT })
})
beforeEach(() => receiver.forget())
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const SCRIPT = `
function default_wrap(t) return wrap(t):system() end
function on_message(entry)
  if entry.text:find("^deploy") then return { webhook = "ci" } end
  if entry.text:find("^page") then return { webhook = "ops" } end
  if entry.text:find("^wrong") then return { webhook = 5 } end
  return "nothing that counts"
end`

const say = (text: string) => stage.as('rhea', ['say', 'dev', text])
const log = async () => (await stage.as('rhea', ['script', 'dev', 'log'])).stdout

describe("a webhook that a room's on_message names", () => {
  test('gets the message as JSON, with the secret header', async () => {
    await say('hello')
    await say('deploy the new one')
    const [first, ...others] = await receiver.got(1)
    expect(others).toEqual([])
    expect(first).toMatchObject({ path: '/ci', headers: { authorization: 'Bearer secret' } })
    const { id, at, ...said } = JSON.parse(first?.body ?? '')
    expect(said).toEqual({
      room: 'dev',
      kind: 'message',
      author: 'rhea',
      text: 'deploy the new one',
      agent: false,
    })
    expect([id, at]).toEqual([expect.stringMatching(/^[0-9A-Z]{26}$/), expect.stringMatching(/^\d{4}-.*Z$/)])
  })

  test('is tried again after 503, and gets messages in the order of the log', async () => {
    receiver.answerNext(503)
    await say('deploy 1')
    await say('deploy 2')
    const got = await receiver.got(3)
    expect(got.map(({ body }) => JSON.parse(body).text)).toEqual(['deploy 1', 'deploy 1', 'deploy 2'])
  })

  test('is not tried again after 400, and no redirect is followed', async () => {
    receiver.answerNext(400)
    receiver.answerNext(307, { location: '/elsewhere' })
    for (const text of ['deploy 1', 'deploy 2', 'deploy 3']) await say(text)
    expect((await receiver.got(3)).map(({ path, body }) => [path, JSON.parse(body).text])).toEqual([
      ['/ci', 'deploy 1'],
      ['/ci', 'deploy 2'],
      ['/ci', 'deploy 3'],
    ])
  })

  test('is not told if the room may not use it, and /script log says so', async () => {
    await say('page somebody')
    await vi.waitFor(async () => expect(await log()).toContain('there is no webhook ops for this room'))
    await say('deploy')
    expect((await receiver.got(1)).map(({ path }) => path)).toEqual(['/ci'])
  })

  test('is warned of by sshawl check if it names no rooms', async () => {
    const words = ['check', '--config', `${stage.server.dataDir}.toml`, '--data', join(stage.dir, 'none')]
    const { stdout } = await operator(words, { TEST_HOOK_AUTH: 'Bearer secret' })
    expect(stdout.match(/^warning: webhooks: .*$/gm)).toEqual([
      'warning: webhooks: ci names no rooms, so the script of any room may send there; write rooms = ["dev"]',
    ])
  })

  test('must be named by a text, else the hook fails', async () => {
    await say('wrong')
    await vi.waitFor(async () => expect(await log()).toContain('webhook must be the name of one, it is 5'))
  })

  test('is not told of a line that came by a POST', async () => {
    const caller = createHttpCaller(() => stage)
    const headers = withBearer(await caller.token('ci'), { 'content-type': 'text/plain' })
    const url = `${caller.base()}/rooms/dev/messages`
    const { status } = await fetch(url, { method: 'POST', headers, body: 'deploy from ci' })
    expect(status).toBe(200)
    await say('deploy by hand')
    expect((await receiver.got(1)).map(({ body }) => JSON.parse(body).text)).toEqual(['deploy by hand'])
  })
})
