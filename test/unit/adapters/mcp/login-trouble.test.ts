import { createServer } from 'node:http'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { McpOAuth } from '../../../../src/adapters/mcp/config.ts'
import type { McpLogin } from '../../../../src/adapters/mcp/login/login.ts'
import { createMcpLogins, type McpLogins } from '../../../../src/adapters/mcp/login/logins.ts'
import { memoryLog } from '../../../support/chat-parts.ts'
import { logInAt, startLoginServers, type LoginServers } from '../../../support/mcp/login-server.ts'
import { temporaryDir } from '../../../support/storage.ts'

const BACK = 'http://127.0.0.1:2223/oauth/callback'

let far: LoginServers
let dir: ReturnType<typeof temporaryDir>
beforeEach(async () => {
  dir = temporaryDir()
  far = await startLoginServers()
})
afterEach(async () => {
  await far[Symbol.asyncDispose]()
  dir[Symbol.dispose]()
})

const openLogins = (): McpLogins => createMcpLogins({ dir: dir.path, back: () => BACK, log: memoryLog() })

const loginIn = (logins: McpLogins, oauth?: McpOAuth): McpLogin =>
  logins.of({ name: 'far', reach: { url: far.url, ...(oauth ? { oauth } : {}) } })!

/** What the browser comes back with. */
const answerTo = async (login: McpLogin): Promise<URLSearchParams> =>
  new URL(await logInAt((await login.begin()).address)).searchParams

const logIn = async (login: McpLogin): Promise<void> => await login.finish(await answerTo(login))

const closed = (): McpOAuth => ({
  issuer: far.issuer,
  clientId: 'closed',
  clientSecret: 'cl0sed-secret',
  redirectUrl: 'https://chat.example.org/oauth/callback',
})

/** Another host, which takes all that it is sent. */
async function startThief() {
  const got: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      got.push(`${request.headers.authorization ?? ''} ${body}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    got,
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

describe('what belongs to a login', () => {
  test('goes to no other host where it is sent on: not to take tokens back, to get them or to renew them', async () => {
    await using thief = await startThief()
    const { host } = new URL(far.issuer)
    const sentOn = `${host} sends it on to another address (307), where no login goes`
    const login = loginIn(openLogins(), closed())
    await logIn(login)
    far.behave({ sendsOnTo: `${thief.origin}/steal` })
    await expect(login.auth.onUnauthorized!(refusal())).rejects.toThrow(
      `its login could not be renewed: ${sentOn}`,
    )
    const answer = await answerTo(login)
    await expect(login.finish(answer)).rejects.toThrow(sentOn)
    expect(await login.leave()).toBe(
      `the tokens could not be taken back, so they hold until they expire: ${sentOn}`,
    )
    expect(far.asked.at(-1)).toBe('revoke')
    expect(thief.got).toEqual([])
    expect(readdirSync(dir.path)).toEqual([])
  })

  test.each(['well', 'only-post'] as const)(
    'is taken back by a client with a secret in the way that the issuer takes it: %s',
    async (how) => {
      far.behave(how)
      const login = loginIn(openLogins(), closed())
      await logIn(login)
      expect(far.hasLive()).toBe(true)
      expect(await login.leave()).toBe(undefined)
      expect(far.hasLive()).toBe(false)
    },
  )
})

describe('who leaves while a login is under way', () => {
  test('ends it: nothing is written, tokens that come late are taken back, and who waits is answered', async () => {
    const login = loginIn(openLogins())
    const answer = await answerTo(login)
    const { made, release } = far.hold()
    const finished = login.finish(answer)
    const told = expect(finished).rejects.toThrow('somebody logged out or disconnected it meanwhile')
    await made
    expect(login.isUnderWay()).toBe(true)
    expect(await login.leave()).toBe(undefined)
    await told
    expect(login.isUnderWay()).toBe(false)
    expect(far.hasLive()).toBe(true)
    release()
    await expect.poll(far.hasLive).toBe(false)
    expect(far.asked.at(-1)).toBe('revoke')
    expect(readdirSync(dir.path)).toEqual([])
    expect(login.state()).toBe('none')
    await logIn(login)
    expect(readdirSync(dir.path)).toEqual(['far.json'])
  })

  test('ends one that the browser has not come back from', async () => {
    const login = loginIn(openLogins())
    const answer = await answerTo(login)
    expect(login.isUnderWay()).toBe(true)
    await login.leave()
    expect(login.isBegun(answer.get('state')!)).toBe(false)
    await expect(login.finish(answer)).rejects.toThrow('no login of it is under way')
    expect(far.hasLive()).toBe(false)
  })

  test('ends a renewal, too', async () => {
    const login = loginIn(openLogins())
    await logIn(login)
    const { made, release } = far.hold()
    const renewed = login.auth.onUnauthorized!(refusal())
    await made
    await login.leave()
    release()
    await renewed
    await expect.poll(far.hasLive).toBe(false)
    expect(readdirSync(dir.path)).toEqual([])
  })
})

describe('a login in the place of another one', () => {
  test.each(['well', 'whole-grant'] as const)(
    'holds, whatever else ends with a token; the tokens of both are taken back together: %s',
    async (how) => {
      far.behave(how)
      const login = loginIn(openLogins())
      await logIn(login)
      await logIn(login)
      expect(far.asked).not.toContain('revoke')
      expect(far.logins()).toBe(2)
      expect(statSync(`${dir.path}/far.json`).mode & 0o777).toBe(0o600)
      await login.auth.onUnauthorized!(refusal())
      expect(login.state()).toBe('held')
      expect(await loginIn(openLogins()).leave()).toBe(undefined)
      expect(far.hasLive()).toBe(false)
    },
  )

  test('has the tokens of that hidden after a restart, too, and of many the last ones', async () => {
    for (let round = 0; round < 11; round++) await logIn(loginIn(openLogins()))
    const login = loginIn(openLogins())
    const token = await login.auth.token()
    expect(login.secrets().filter((one) => far.given.has(one))).toHaveLength(18)
    expect([...far.given].slice(-18).map((one) => login.masked(one))).toEqual(Array(18).fill('***'))
    expect(login.secrets().at(-2)).toBe(token)
    await login.leave()
    expect(far.asked.filter((one) => one === 'revoke')).toHaveLength(9)
    expect(far.logins()).toBe(2)
  })

  test('has those of that taken back, also those that come of a renewal meanwhile', async () => {
    const login = loginIn(openLogins())
    await logIn(login)
    const { made, release } = far.hold()
    const renewed = login.auth.onUnauthorized!(refusal())
    await made
    await logIn(login)
    release()
    await renewed
    expect(far.asked).not.toContain('revoke')
    expect(await login.leave()).toBe(undefined)
    expect(far.hasLive()).toBe(false)
  })

  test('is gone on with where the renewal of that is refused meanwhile', async () => {
    const login = loginIn(openLogins())
    await logIn(login)
    far.revokeAll()
    const { made, release } = far.hold('refusal')
    const renewed = login.auth.onUnauthorized!(refusal())
    await made
    await logIn(login)
    release()
    await renewed
    expect(login.state()).toBe('held')
    expect((await ask(await login.auth.token())).status).toBe(200)
  })

  test('ends one whose answer is being exchanged, and tokens that come of that are taken back with it', async () => {
    const login = loginIn(openLogins())
    const first = await answerTo(login)
    const { made, release } = far.hold()
    const told = expect(login.finish(first)).rejects.toThrow(
      'another login was begun meanwhile, and that one counts',
    )
    await made
    await logIn(login)
    await told
    const token = await login.auth.token()
    release()
    await expect.poll(() => readFileSync(`${dir.path}/far.json`, 'utf8')).toContain('"replaced":[')
    expect(await login.auth.token()).toBe(token)
    expect(await login.leave()).toBe(undefined)
    expect(far.hasLive()).toBe(false)
  })
})

const ask = (token: string | undefined) =>
  fetch(far.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })

describe('tokens that nobody wants', () => {
  test.each([
    ['well', 'info', 'were given back'],
    ['down', 'warn', 'may still hold'],
  ] as const)('are told in the log as they are: %s', async (how, level, said) => {
    const lines: string[] = []
    const keep = (at: string) => (_facts: object, text: string) => void lines.push(`${at} ${text}`)
    const log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
    const login = loginIn(createMcpLogins({ dir: dir.path, back: () => BACK, log }))
    await logIn(login)
    const { made, release } = far.hold()
    const renewed = login.auth.onUnauthorized!(refusal())
    await made
    await login.leave()
    far.behave(how)
    release()
    await renewed
    expect(lines).toEqual([`${level} tokens of an MCP server that nobody wants any more ${said}`])
  })
})

/** The server did not take the token. */
const refusal = () => ({
  response: new Response('', { status: 401 }),
  serverUrl: new URL(far.url),
  fetchFn: fetch,
})

describe('a login that is begun', () => {
  test('asks the server anew: what it said wrong before does not stay', async () => {
    const login = loginIn(openLogins())
    far.challenge('http://169.254.169.254/secret')
    const wrong = 'http://169.254.169.254 is no address for a login: it has to begin with https://'
    await expect(login.begin()).rejects.toThrow(wrong)
    far.challenge(undefined)
    await logIn(login)
    expect(login.state()).toBe('held')
  })

  test('needs nothing said of who gives the tokens where the usual address says it', async () => {
    far.challenge(undefined)
    const login = loginIn(openLogins())
    await logIn(login)
    expect(login.state()).toBe('held')
  })

  test.each([
    [{ authorization_servers: [] }, 'it names nobody who gives tokens for it'],
    [{ authorization_servers: ['x'] }, 'what it says of its login is not as OAuth has it'],
    [
      { authorization_servers: ['file:///etc/passwd'] },
      'file:///etc/passwd is no address for a login: it has to begin with https://',
    ],
    [
      { authorization_servers: ['http://login.example.org'] },
      'http://login.example.org is no address for a login: it has to begin with https://',
    ],
    [{ authorization_servers: 7 }, 'what it says of its login is not as OAuth has it'],
    [{ resource: 'https://other.example.org/mcp' }, 'what it says of its login is for another server'],
    [undefined, 'tells who gives its tokens, and nothing is there'],
  ])('says what is wrong with %j, and registers nowhere', async (login, why) => {
    const whole = { resource: far.url, authorization_servers: [far.issuer] }
    far.describe(login && { ...whole, ...login })
    await expect(loginIn(openLogins()).begin()).rejects.toThrow(why)
    expect(far.asked).toEqual([])
  })
})

describe('what is kept under a name', () => {
  test('is forgotten and taken back, whichever server it was for, and by another start', async () => {
    await logIn(loginIn(openLogins()))
    const later = openLogins()
    expect(await later.forget('far')).toEqual({ why: undefined })
    expect(far.hasLive()).toBe(false)
    expect(readdirSync(dir.path)).toEqual([])
    expect(await later.forget('far')).toBe(undefined)
  })

  test('is removed where it is damaged, and no name leads out of the directory', async () => {
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${dir.path}/far.json`, Buffer.from([0, 255, 1]))
    writeFileSync(`${dir.path}/FAR.json`, '{}')
    const logins = openLogins()
    expect(await logins.forget('far')).toEqual({
      why: 'its file was damaged, so its tokens hold until they expire',
    })
    for (const name of ['../logins/far', 'FAR', '', '\u0000', 'x'.repeat(5_000)])
      expect(await logins.forget(name)).toBe(undefined)
    expect(readdirSync(dir.path)).toEqual(['FAR.json'])
  })
})
