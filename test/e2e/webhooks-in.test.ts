import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpCaller, withBearer } from '../support/http-caller.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** Lines that other programs post to a room. */
let stage: Stage<AnyServer>
let token: string
beforeAll(async () => {
  stage = await createStageHere({ isShared: true, config: '[limits]\nmessage_chars = 200\n', http: true })
  await stage.claim('rhea')
  for (const line of ['create dev', 'create den --private']) await stage.as('rhea', line.split(' '))
  token = await caller.token('ci')
})
afterAll(() => stage[Symbol.asyncDispose]())

const caller = createHttpCaller(() => stage)
const JSON_TYPE = { 'content-type': 'application/json' }

async function post(room: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${caller.base()}/rooms/${room}/messages`, {
    method: 'POST',
    headers: withBearer(token, { 'content-type': 'text/plain', ...headers }),
    body,
  })
  return [response.status, (await response.text()).trimEnd()] as const
}

async function last(room = 'dev'): Promise<{ readonly author: string; readonly text: string }> {
  const { stdout } = await stage.as('rhea', ['history', room, '-n', '1', '--json'])
  return JSON.parse(stdout)
}

describe('a POST to a room', () => {
  test("says a text as the token's person", async () => {
    expect(await post('dev', 'the build is green\n')).toEqual([200, 'ok'])
    expect(await last()).toMatchObject({ author: 'ci', kind: 'message', text: 'the build is green' })
  })

  test('says the JSON that Slack takes, with its links and escapes as text', async () => {
    const message = { text: 'see <https://ci.example.org/7|build 7> &amp; rest', username: 'Jenkins' }
    expect(await post('dev', JSON.stringify(message), JSON_TYPE)).toEqual([200, 'ok'])
    expect((await last()).text).toBe('[Jenkins] see build 7 (https://ci.example.org/7) & rest')
  })

  test('says the form field payload, and what blocks and attachments say in plain text', async () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'deployed' } }]
    const attachments = [{ fallback: 'CPU is high' }, { title: 'disk', text: '91 %' }]
    const body = new URLSearchParams({ payload: JSON.stringify({ blocks, attachments }) }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await post('dev', body, form)).toEqual([200, 'ok'])
    expect((await last()).text).toBe('deployed\nCPU is high\ndisk: 91 %')
  })

  test('asks a model that it mentions', async () => {
    expect(await post('dev', '@guide tools')).toEqual([200, 'ok'])
    await expect.poll(async () => (await last()).author, { timeout: 20_000 }).toBe('guide')
  })

  test('answers alike for a private room and one that does not exist', async () => {
    const [status, text] = await post('den', 'hello')
    expect([status, text]).toEqual([404, expect.stringContaining('there is no room called den')])
    expect(await post('nowhere', 'hello')).toEqual([status, text.replace('den', 'nowhere')])
  })

  test('answers alike for a room that the token is not for', async () => {
    const bound = await caller.token('ci', '--rooms', 'lobby')
    expect(await post('dev', 'hello', withBearer(bound))).toEqual([
      404,
      expect.stringContaining('no room called dev'),
    ])
    expect(await post('lobby', 'hello', withBearer(bound))).toEqual([200, 'ok'])
  })

  test('is refused with a sentence if the line is too long, or the person is muted', async () => {
    expect(await post('dev', 'x'.repeat(201))).toEqual([403, expect.stringContaining('201 characters')])
    await stage.as('rhea', ['mute', 'dev', 'ci'])
    expect(await post('dev', 'hello')).toEqual([403, expect.stringContaining('muted')])
    await stage.as('rhea', ['unmute', 'dev', 'ci'])
  })

  test('is refused if it has no text, or JSON that cannot be read', async () => {
    for (const [body, headers] of [
      ['', {}],
      ['{', JSON_TYPE],
      ['[1]', JSON_TYPE],
      ['{"text": 5}', JSON_TYPE],
    ] as const)
      expect(await post('dev', body, headers)).toEqual([400, expect.stringContaining('Slack')])
  })

  test('needs a token and the method POST', async () => {
    expect((await post('dev', 'hello', withBearer('nothing')))[0]).toBe(401)
    const { status, headers } = await caller.get('/rooms/dev/messages')
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })
})
