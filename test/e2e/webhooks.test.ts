import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, beforeEach, vi } from 'vitest'
import { createHttpCaller, withBearer } from '../support/http-caller.ts'
import { createStage, createStageHere, type Stage } from '../support/stage.ts'
import { operator } from '../support/operator.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'

let stage: Stage
let receiver: Receiver
/** Of the person `ci`. */
let token: string
beforeAll(async () => {
  receiver = await startReceiver()
  const webhook = (name: string, path: string, more: string) =>
    `[[webhooks]]\nname = "${name}"\nurl = "${receiver.url}${path}"\n${more}\n`
  stage = await createStage({
    isShared: true,
    env: { TEST_HOOK_AUTH: 'Bearer secret' },
    http: true,
    config: [
      webhook('ci', '/ci', 'header_env = { Authorization = "TEST_HOOK_AUTH" }'),
      webhook('ops', '/ops', 'rooms = ["ops"]'),
      `[notify]\nallow = ["${receiver.url}"]`,
      '[limits]\nrate_burst = 1000\nmessage_chars = 200\n',
    ].join('\n'),
  })
  await stage.claim('rhea')
  for (const line of ['create dev', 'create den --private', 'create yard'])
    await stage.as('rhea', line.split(' '))
  token = await caller.token('ci')
})
beforeEach(() => receiver.forget())
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

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

interface LastLine {
  readonly author: string
  readonly text: string
  readonly by_program?: boolean
  readonly posted?: boolean
}

async function last(room = 'dev'): Promise<LastLine> {
  const { stdout } = await stage.as('rhea', ['history', room, '-n', '1', '--json'])
  return JSON.parse(stdout)
}

describe('a POST to a room', () => {
  test("a POST to a room is posted as a message of the token's person", async () => {
    expect(await post('dev', 'the build is green\n')).toEqual([200, 'ok'])
    expect(await last()).toMatchObject({ author: 'ci', kind: 'message', text: 'the build is green' })
  })

  test('a line has by_program in JSON if POST, MCP, a pipe or a non-terminal session sent it', async () => {
    await post('dev', 'posted')
    expect(await last()).toMatchObject({ text: 'posted', posted: true, by_program: true })
    await using agent = await openAgent(stage, 'rhea')
    await agent.call('say', { room: 'dev', text: 'by an agent' })
    await stage.as('rhea', ['me', 'dev', '-'], { input: 'by a pipe' })
    await stage.as('rhea', ['say', 'dev'], { input: 'by a pipe' })
    const session = await stage.open('rhea', '-T')
    session.write('/join dev\nin a session\n/quit\n')
    expect(await session.exit).toBe(0)
    await stage.as('rhea', ['say', 'dev', 'as an argument'])
    const { stdout } = await stage.as('rhea', ['history', 'dev', '-n', '9', '--json'])
    const said = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LastLine & { kind: string })
    const marks = said.flatMap(({ kind, text, by_program: mark }) =>
      kind === 'message' || kind === 'action' ? [`${text}: ${mark}`] : [],
    )
    expect(marks.slice(-6)).toEqual([
      'posted: true',
      'by an agent: true',
      'by a pipe: true',
      'by a pipe: true',
      'in a session: true',
      'as an argument: undefined',
    ])
  })

  test('a POST of Slack JSON is posted with its links and escapes as text', async () => {
    const message = { text: 'see <https://ci.example.org/7|build 7> &amp; rest', username: 'Jenkins' }
    expect(await post('dev', JSON.stringify(message), JSON_TYPE)).toEqual([200, 'ok'])
    expect((await last()).text).toBe('[Jenkins] see build 7 (https://ci.example.org/7) & rest')
  })

  test('a POST with the form field payload is posted with its blocks and attachments as text', async () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'deployed' } }]
    const attachments = [{ fallback: 'CPU is high' }, { title: 'disk', text: '91 %' }]
    const body = new URLSearchParams({ payload: JSON.stringify({ blocks, attachments }) }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await post('dev', body, form)).toEqual([200, 'ok'])
    expect((await last()).text).toBe('deployed\nCPU is high\ndisk: 91 %')
  })

  test('a POST of a Grafana alert is posted with its title and message', async () => {
    const alert = { status: 'firing', alerts: [{}], title: '[FIRING:1] disk', message: '**Firing** 91 %' }
    expect(await post('dev', JSON.stringify(alert), JSON_TYPE)).toEqual([200, 'ok'])
    expect((await last()).text).toBe('[FIRING:1] disk\n**Firing** 91 %')
  })

  test('a POST accepts the token as the password of HTTP Basic', async () => {
    const withPassword = (password: string) => ({ authorization: `Basic ${btoa(`x:${password}`)}` })
    expect(await post('dev', 'by password', withPassword(token))).toEqual([200, 'ok'])
    expect(await last()).toMatchObject({ author: 'ci', text: 'by password' })
    expect((await post('dev', 'hello', withPassword('nothing')))[0]).toBe(401)
  })

  test('a POST that mentions a model calls that model', async () => {
    expect(await post('dev', '@guide tools')).toEqual([200, 'ok'])
    await expect.poll(async () => (await last()).author, { timeout: 20_000 }).toBe('guide')
  })

  test('a POST to a private room gets the same 404 as a POST to a missing room', async () => {
    const [status, text] = await post('den', 'hello')
    expect([status, text]).toEqual([404, expect.stringContaining('there is no room called den')])
    expect(await post('nowhere', 'hello')).toEqual([status, text.replace('den', 'nowhere')])
  })

  test('a POST with a token of other rooms gets status 404', async () => {
    const bound = await caller.token('ci', '--rooms', 'lobby')
    expect(await post('dev', 'hello', withBearer(bound))).toEqual([
      404,
      expect.stringContaining('no room called dev'),
    ])
    expect(await post('lobby', 'hello', withBearer(bound))).toEqual([200, 'ok'])
  })

  test('a POST gets status 403 with the reason if its text is too long or the person is muted', async () => {
    expect(await post('dev', 'x'.repeat(201))).toEqual([403, expect.stringContaining('201 characters')])
    await stage.as('rhea', ['mute', 'dev', 'ci'])
    expect(await post('dev', 'hello')).toEqual([403, expect.stringContaining('muted')])
    await stage.as('rhea', ['unmute', 'dev', 'ci'])
  })

  test('a POST without a text or with invalid JSON gets status 400', async () => {
    for (const [body, headers] of [
      ['', {}],
      ['{', JSON_TYPE],
      ['[1]', JSON_TYPE],
      ['{"text": 5}', JSON_TYPE],
    ] as const)
      expect(await post('dev', body, headers)).toEqual([400, expect.stringContaining('Slack')])
  })

  test('a request to post without a valid token gets 401, and one with another method gets 405', async () => {
    expect((await post('dev', 'hello', withBearer('nothing')))[0]).toBe(401)
    const { status, headers } = await caller.get('/rooms/dev/messages')
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('the webhooks of a script', () => {
  beforeAll(() => stage.as('rhea', ['script', 'yard', 'set'], { input: SCRIPT }))

  const SCRIPT = `
function default_wrap(t) return wrap(t):system() end
function on_message(entry)
  if entry.text:find("^deploy") then return { webhook = "ci" } end
  if entry.text:find("^page") then return { webhook = "ops" } end
  if entry.text:find("^wrong") then return { webhook = 5 } end
  return "nothing that counts"
end`

  const say = (text: string) => stage.as('rhea', ['say', 'yard', text])
  const log = async () => (await stage.as('rhea', ['script', 'yard', 'log'])).stdout

  describe("a webhook that a room's on_message names", () => {
    test('a webhook named by on_message gets the message as JSON with the secret header', async () => {
      await say('hello')
      await say('deploy the new one')
      const [first, ...others] = await receiver.got(1)
      expect(others).toEqual([])
      expect(first).toMatchObject({ path: '/ci', headers: { authorization: 'Bearer secret' } })
      const { id, at, ...said } = JSON.parse(first?.body ?? '')
      expect(said).toEqual({
        room: 'yard',
        kind: 'message',
        author: 'rhea',
        text: 'deploy the new one',
        agent: false,
      })
      expect([id, at]).toEqual([
        expect.stringMatching(/^[0-9A-Z]{26}$/),
        expect.stringMatching(/^\d{4}-.*Z$/),
      ])
    })

    test('a webhook is retried after 503 and gets messages in the order of the log', async () => {
      receiver.answerNext(503)
      await say('deploy 1')
      await say('deploy 2')
      const got = await receiver.got(3)
      expect(got.map(({ body }) => JSON.parse(body).text)).toEqual(['deploy 1', 'deploy 1', 'deploy 2'])
    })

    test('a webhook is not retried after 400, and its redirects are not followed', async () => {
      receiver.answerNext(400)
      receiver.answerNext(307, { location: '/elsewhere' })
      for (const text of ['deploy 1', 'deploy 2', 'deploy 3']) await say(text)
      expect((await receiver.got(3)).map(({ path, body }) => [path, JSON.parse(body).text])).toEqual([
        ['/ci', 'deploy 1'],
        ['/ci', 'deploy 2'],
        ['/ci', 'deploy 3'],
      ])
    })

    test('a webhook is not called for a room that it does not allow, and /script log says so', async () => {
      await say('page somebody')
      await vi.waitFor(async () => expect(await log()).toContain('there is no webhook ops for this room'))
      await say('deploy')
      expect((await receiver.got(1)).map(({ path }) => path)).toEqual(['/ci'])
    })

    test('sshawl check warns of a webhook without a list of rooms', async () => {
      const words = ['check', '--config', `${stage.server.dataDir}.toml`, '--data', join(stage.dir, 'none')]
      const { stdout } = await operator(words, { TEST_HOOK_AUTH: 'Bearer secret' })
      expect(stdout.match(/^warning: webhooks: .*$/gm)).toEqual([
        'warning: webhooks: ci names no rooms, so the script of any room may send there; write rooms = ["dev"]',
      ])
    })

    test('only admins can create a room, or rename one, to a name that a webhook lists', async () => {
      const lines = ['create ops', 'create mine', 'fork mine ops', 'rename-room mine ops']
      const refused = [1, expect.stringContaining('the name ops is taken')]
      const answers = []
      for (const line of lines) {
        const { exitCode, stderr } = await stage.as('mallory', line.split(' '))
        answers.push([exitCode, stderr])
      }
      const notes = async () => {
        const words = ['check', '--config', `${stage.server.dataDir}.toml`, '--data', stage.server.dataDir]
        const { stdout } = await operator(words, { TEST_HOOK_AUTH: 'Bearer secret' })
        return stdout.match(/^note: webhooks.*$/gm) ?? []
      }
      expect(answers).toEqual([refused, [0, ''], refused, refused])
      expect(await notes()).toEqual([
        'note: webhooks.rooms: there is no room ops; only an admin can make it, with /create',
      ])
      expect((await stage.as('rhea', ['create', 'ops'])).exitCode).toBe(0)
      expect(await notes()).toEqual([])
      expect((await stage.as('rhea', ['rename-room', 'ops', 'other'])).stderr).toContain(
        'the config names ops (webhooks.rooms), so it keeps its name',
      )
      expect((await stage.as('rhea', ['delete', 'ops', 'ops'])).exitCode).toBe(0)
      const { exitCode, stderr } = await stage.as('mallory', ['create', 'ops'])
      expect([exitCode, stderr]).toEqual(refused)
    })

    test('on_message fails if the webhook that it returns is not a text', async () => {
      await say('wrong')
      await vi.waitFor(async () => expect(await log()).toContain('webhook must be the name of one, it is 5'))
    })

    test('a line posted over HTTP does not call a webhook', async () => {
      const headers = withBearer(token, { 'content-type': 'text/plain' })
      const url = `${caller.base()}/rooms/yard/messages`
      const { status } = await fetch(url, { method: 'POST', headers, body: 'deploy from ci' })
      expect(status).toBe(200)
      await say('deploy by hand')
      expect((await receiver.got(1)).map(({ body }) => JSON.parse(body).text)).toEqual(['deploy by hand'])
    })
  })
})

describe('notifications of absent people', () => {
  // A person is told once a minute, so each test has its own.
  const rhea = (...words: readonly string[]) => stage.as('rhea', words)
  const say = (room: string, text: string) => rhea('say', room, text)
  const setNotify = (name: string, address: string) => stage.as(name, ['set', 'notify', address])
  /** Registers somebody whose notices go to a topic of the same name. */
  async function register(name: string): Promise<void> {
    expect((await setNotify(name, `${receiver.url}/${name}`)).exitCode).toBe(0)
  }
  const told = async (count: number) =>
    (await receiver.got(count)).map(({ path, body }) => `${path}: ${body}`)

  describe('an absent person', () => {
    test('an absent person is notified of a mention by a POST without the text', async () => {
      await register('bob')
      await say('dev', '@bob the secret is out')
      const [notice] = await receiver.got(1)
      expect(notice).toMatchObject({
        path: '/bob',
        headers: { title: 'sshawl' },
        body: 'rhea mentioned you in dev',
      })
    })

    test('an absent person is notified of a direct message, and at most once per minute', async () => {
      for (const name of ['carol', 'dora']) await register(name)
      await rhea('msg', 'carol', 'psst')
      await say('dev', '@carol and again')
      await say('dev', 'dora: hello')
      expect(await told(2)).toEqual(['/carol: rhea wrote to you', '/dora: rhea mentioned you in dev'])
    })

    test('a notice does not name a private room, and non-members get none', async () => {
      for (const name of ['emil', 'fay']) await register(name)
      await rhea('invite', 'den', 'emil')
      await stage.as('emil', ['join', 'den'])
      await say('den', '@fay @emil look')
      expect(await told(1)).toEqual(['/emil: rhea mentioned you in a private room'])
      await say('dev', '@fay look')
      expect(await told(2)).toContain('/fay: rhea mentioned you in dev')
    })

    test('an absent person is not notified by people that they ignore', async () => {
      await register('gus')
      await stage.as('hal', ['whoami'])
      await stage.as('gus', ['ignore', 'hal'])
      await stage.as('hal', ['say', 'dev', '@gus buy this'])
      await stage.as('hal', ['msg', 'gus', 'buy this'])
      await say('dev', '@gus hello')
      expect(await told(1)).toEqual(['/gus: rhea mentioned you in dev'])
    })
  })

  test('a person in a session is notified only after /away', async () => {
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
    test('/set notify accepts only addresses below the origins in notify.allow', async () => {
      const refused = await setNotify('kim', 'https://elsewhere.example.org/kim')
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(receiver.url)])
      for (const wrong of ['nonsense', 'ftp://ntfy.sh/x', receiver.url.replace('//', '//a:b@')])
        expect((await setNotify('kim', wrong)).exitCode).toBe(1)
    })

    test('/set notify keeps the case of the address, and off ends the notices', async () => {
      await setNotify('lea', `${receiver.url}/MyTopic`)
      expect((await stage.as('lea', ['set', 'notify'])).stdout).toContain('/MyTopic')
      await setNotify('lea', 'off')
      await register('max')
      await say('dev', '@lea @max look')
      expect(await told(1)).toEqual(['/max: rhea mentioned you in dev'])
    })
  })

  test('/set notify is rejected if the config has no notify.allow', async () => {
    await using other = await createStageHere()
    const { exitCode, stderr } = await other.as('bob', ['set', 'notify', `${receiver.url}/bob`])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('[notify] allow')])
  })
})

describe('hooks', () => {
  const run = (words: readonly string[], input?: string) =>
    stage.as('rhea', words, input === undefined ? {} : { input })
  async function out(words: readonly string[], input?: string): Promise<string> {
    const { stdout, stderr, exitCode } = await run(words, input)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return stdout
  }

  const WRAP = 'function default_wrap(t) return wrap(t):system():tools(room_tool_scope()) end\n'

  describe('the hooks of a room', () => {
    test('hooks of a room see messages in order, and can reject tools of people or models', async () => {
      await out(['create', 'hooked'])
      const script = `${WRAP}
function on_message(entry)
  tools.log("info", entry.text)
  tools.room_kv_set("said", (tools.room_kv_get("said") or "") .. entry.text)
end
function before_tool_call(call)
  if call.id == "calculator" then return "no sums, " .. (call.model or call.user) end
end
function after_turn(turn) tools.room_kv_set("last", turn.model .. " " .. turn.outcome) end`
      await out(['script', 'hooked', 'set'], script)
      for (const text of ['a', 'b', 'c']) await out(['say', 'hooked', text])
      await vi.waitFor(async () => expect(await out(['kv', 'hooked', 'said', '--json'])).toContain('"abc"'))
      expect(await out(['script', 'hooked', 'log'])).toMatch(/info: a\n.*info: b\n.*info: c\n$/)
      const sum = '{"expression":"1+1"}'
      const refused = await run(['run', 'hooked', 'calculator', sum])
      expect(refused.exitCode).toBe(1)
      expect(refused.stdout + refused.stderr).toContain("refused by the room's script: no sums, rhea")
      await out(['ask', 'hooked', '@guide', 'call', 'calculator', sum])
      expect(await out(['history', 'hooked'])).toContain("refused by the room's script: no sums, guide")
      await vi.waitFor(async () =>
        expect(await out(['kv', 'hooked', 'last', '--json'])).toContain('guide done'),
      )
    })

    test('an endless hook delays neither messages nor other rooms, and is announced once', async () => {
      await out(['create', 'slow'])
      await out(['script', 'slow', 'set'], `${WRAP}function on_message() while true do end end`)
      for (let index = 1; index <= 3; index++) await out(['say', 'slow', `message ${index}`])
      const history = await out(['history', 'slow'])
      for (let index = 1; index <= 3; index++) expect(history).toContain(`message ${index}`)
      expect(await out(['wrap', 'lobby', '@guide'])).toContain('system')
      await vi.waitFor(
        async () => expect((await out(['script', 'slow', 'log'])).match(/failed/g)).toHaveLength(3),
        { timeout: 20_000, interval: 500 },
      )
      const told = (await out(['history', 'slow'])).match(/the room's script failed in on_message/g)
      expect(told).toHaveLength(1)
    })
  })
})
