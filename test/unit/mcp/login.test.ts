import { createServer } from 'node:http'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { McpOAuth } from '../../../src/mcp/config.ts'
import { safeAddress } from '../../../src/mcp/login-fetch.ts'
import { LoginStore } from '../../../src/mcp/login-store.ts'
import { createMcpLogins, type McpLogins, type ServerLogin } from '../../../src/mcp/logins.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { logInAt, startLoginServers, type LoginServers } from '../../support/mcp/login-server.ts'
import { createRawServers } from '../../support/mcp/raw-servers.ts'
import { temporaryDir } from '../../support/storage.ts'

const BACK = 'http://127.0.0.1:2223/oauth/callback'
const WANTED = 'it wants a login: /mcp login far, or give it a token by token_env'

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

const openLogins = (log = memoryLog()): McpLogins => createMcpLogins({ dir: dir.path, back: () => BACK, log })

const loginIn = (logins: McpLogins, oauth?: McpOAuth, url = far.url): ServerLogin =>
  logins.of({ name: 'far', reach: { url, ...(oauth ? { oauth } : {}) } })!

/** What the browser comes back with. */
const answerTo = async (login: ServerLogin): Promise<URLSearchParams> =>
  new URL(await logInAt((await login.begin()).address)).searchParams

const logIn = async (login: ServerLogin): Promise<void> => await login.finish(await answerTo(login))

const stored = (): string => readFileSync(join(dir.path, 'far.json'), 'utf8')

/** A client that the operator registered. */
const closed = (): McpOAuth => ({
  issuer: far.issuer,
  clientId: 'closed',
  clientSecret: 'cl0sed-secret',
  redirectUrl: 'https://chat.example.org/oauth/callback',
})

/** The server did not take the token. */
const refusal = () => ({
  response: new Response('', { status: 401 }),
  serverUrl: new URL(far.url),
  fetchFn: fetch,
})

/** The server `far`, as it is connected to; `lines` are those of the log. */
function open(oauth?: McpOAuth, url = far.url) {
  const lines: string[] = []
  const keep = (facts: object, line: string): void => void lines.push(inspect([line, facts], { depth: 9 }))
  const logins = openLogins({ ...memoryLog(), debug: keep, info: keep, warn: keep, error: keep })
  const login = loginIn(logins, oauth, url)
  const reach = { url, ...(oauth ? { oauth } : {}) }
  const servers = createRawServers([{ name: 'far', trust: 'ask', reach }], {}, { logins })
  return {
    servers,
    login,
    lines,
    async call(id: string) {
      const context = { signal: new AbortController().signal } as ToolContext
      return (await servers.tool(id)!.run({}, context)).content
    },
    /** Logs in, and has the server connect. */
    async enter() {
      await servers.until(() => servers.state('far')?.kind === 'down')
      await logIn(login)
      await servers.find('far')!.refresh()
    },
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}

const is = ({ servers }: ReturnType<typeof open>, kind: 'up' | 'down') =>
  servers.until(() => servers.state('far')?.kind === kind)

test('an MCP server that needs a login connects after one, and its tokens are stored with mode 600', async () => {
  await using one = open()
  await is(one, 'down')
  expect(one.servers.state('far')).toEqual({ kind: 'down', why: WANTED })
  expect(far.asked).toEqual([])
  await one.enter()
  expect(one.servers.ids()).toEqual(['far_echo', 'far_token', 'far_admin', 'far_audit'])
  expect(await one.call('far_echo')).toContain('done')
  expect(far.asked).toEqual(['register', 'authorize', 'token authorization_code'])
  expect(statSync(join(dir.path, 'far.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir.path)).toEqual(['far.json'])
})

test('a stored login works after a restart, but not for another address', async () => {
  await using other = await startLoginServers()
  await logIn(loginIn(openLogins()))
  await using again = open()
  await is(again, 'up')
  await using elsewhere = open(undefined, other.url)
  await is(elsewhere, 'down')
  expect(elsewhere.login.state()).toBe('wanted')
})

test('concurrent calls with an expired token share one refresh, and the new token is stored', async () => {
  await using one = open()
  await one.enter()
  const before = stored()
  far.expire()
  const answers = await Promise.all([1, 2, 3, 4].map(() => one.call('far_echo')))
  for (const answer of answers) expect(answer).toContain('done')
  expect(far.asked.filter((asked) => asked === 'token refresh_token')).toHaveLength(1)
  expect(stored()).not.toBe(before)
  expect(one.servers.told).toEqual([])
})

test('a login survives an outage of its issuer, and calls succeed when the issuer is back', async () => {
  await using one = open()
  await one.enter()
  far.expire()
  far.behave('down')
  expect(await one.call('far_echo')).toBe(
    `ERROR: far_echo: its login could not be renewed: ${new URL(far.issuer).host} refused it (503)`,
  )
  await one.servers.until(() => one.servers.told.length === 1)
  far.behave('well')
  await one.servers.until(() => one.servers.told.length === 2)
  expect(await one.call('far_echo')).toContain('done')
})

test('a revoked login disconnects its MCP server, and the next login reuses the client registration', async () => {
  await using one = open()
  await one.enter()
  far.revokeAll()
  const refused = `${new URL(far.issuer).host} refused it (400, invalid_grant: not that one)`
  expect(await one.call('far_echo')).toBe(`ERROR: far_echo: its login has ended (${refused}): /mcp login far`)
  await one.servers.until(() => one.servers.told.length > 0)
  expect(one.servers.told[0]).toMatch(/^left far: it(s login has ended| wants a login)/)
  expect(readdirSync(dir.path)).toEqual([])
  await one.enter()
  expect(await one.call('far_echo')).toContain('done')
  expect(far.asked.filter((asked) => asked === 'register')).toHaveLength(1)
})

test('a logout revokes the tokens, and calls ask for a login again', async () => {
  await using one = open()
  await one.enter()
  expect(await one.login.logout()).toBe(undefined)
  expect(far.asked.at(-1)).toBe('revoke')
  expect(readdirSync(dir.path)).toEqual([])
  expect(await one.call('far_echo')).toContain('it wants a login: /mcp login far')
})

test('a login after a refused call requests the missing scope and the earlier scopes', async () => {
  await using one = open()
  await one.enter()
  const more = 'ERROR: far_admin: it needs a login with more rights (admin): /mcp login far'
  expect(await one.call('far_admin')).toBe(more)
  await logIn(one.login)
  expect(far.scopes).toEqual([null, 'admin'])
  expect(await one.call('far_admin')).toContain('done')
  expect(await one.call('far_audit')).toContain('(audit)')
  await logIn(one.login)
  expect(far.scopes.at(-1)).toBe('admin audit')
})

test('no token of a login appears in an error, a result, the log or the console', async () => {
  const warn = vi.spyOn(console, 'warn')
  await using one = open()
  await one.enter()
  const said = [await one.call('far_token')]
  expect(said[0]).toContain('***')
  expect(one.servers.tool('far_echo')!.description).toBe('echo for ***')
  far.behave('echo')
  far.expire()
  said.push(await one.call('far_echo'))
  expect(said[1]).toContain('its login has ended')
  said.push(...one.servers.told, ...one.lines, inspect(one.servers.state('far')))
  for (const secret of far.given) expect(said.join('\n')).not.toContain(secret)
  expect(said.join('\n')).not.toContain('\u001b')
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

test('a damaged login file is logged, and a new login works', async () => {
  writeFileSync(join(dir.path, 'far.json'), '{"url":')
  await using one = open()
  await is(one, 'down')
  expect(one.lines.join()).toContain('the file of a login could not be read; /mcp login makes another')
  await one.enter()
  expect(one.servers.state('far')).toEqual({ kind: 'up', leftOut: [] })
})

test('a login by client_credentials needs no person and is renewed when its token expires', async () => {
  const grant = 'client_credentials' as const
  const oauth = {
    grant,
    issuer: far.issuer,
    clientId: 'robot',
    clientSecret: 'r0b0t-secret',
    scopes: ['admin'],
  }
  await using one = open(oauth)
  await is(one, 'up')
  expect(await one.call('far_admin')).toContain('done')
  far.expire()
  expect(await one.call('far_echo')).toContain('done')
  expect(far.asked).toEqual(['token client_credentials', 'token client_credentials'])
  await expect(one.login.begin()).rejects.toThrow('it logs in by itself')
  await using wrong = open({ ...oauth, clientSecret: 'not-the-secret' })
  await is(wrong, 'down')
  const refused = `${new URL(far.issuer).host} refused it (400, invalid_client: not that one)`
  expect(wrong.servers.state('far')).toEqual({ kind: 'down', why: `it could not log in: ${refused}` })
  expect(readdirSync(dir.path)).toEqual([])
})

test('a login finishes only with the answer to the latest begun login, and only once', async () => {
  const logins = openLogins()
  const login = loginIn(logins)
  const none = 'no login of it is under way, or it took too long: /mcp login far begins one'
  const wrong = 'this address does not belong to the latest login: give the whole address'
  await expect(login.finish(new URLSearchParams('code=1&state=2'))).rejects.toThrow(none)
  const [first, second] = [await answerTo(login), await answerTo(login)]
  expect(logins.begunWith(first.get('state')!)).toBe(undefined)
  expect(logins.begunWith(second.get('state')!)).toBe('far')
  await expect(login.finish(first)).rejects.toThrow(wrong)
  await expect(login.finish(new URLSearchParams({ code: second.get('code')! }))).rejects.toThrow(wrong)
  await login.finish(second)
  await expect(login.finish(second)).rejects.toThrow(none)
  expect(login.state()).toBe('held')
})

test('a login is rejected with the code of another login (PKCE) or a wrong issuer (RFC 9207)', async () => {
  const login = loginIn(openLogins())
  const [stolen, mine] = [await answerTo(login), await answerTo(login)]
  mine.set('code', stolen.get('code')!)
  await expect(login.finish(mine)).rejects.toThrow('400, invalid_grant')
  const again = await answerTo(login)
  again.set('iss', 'https://evil.example.org')
  await expect(login.finish(again)).rejects.toThrow(/[Ii]ssuer/)
  expect(login.state()).toBe('none')
  expect(far.given.size).toBe(0)
})

test('a login that the person denied is rejected with the reason of the issuer', async () => {
  const login = loginIn(openLogins())
  const state = new URL((await login.begin()).address).searchParams.get('state')!
  const answer = { error: 'access_denied', error_description: 'not\u001b[2J today', state, iss: far.issuer }
  await expect(login.finish(new URLSearchParams(answer))).rejects.toThrow(/not work: not.{0,8} today$/)
})

test.each([
  ['other', /[Ii]ssuer/],
  ['insecure', 'http://login.example.org is no address for a login: it has to begin with https://'],
  ['garbage', 'the login does not work: '],
  ['no-registration', 'does not support dynamic client registration; register sshawl there'],
  ['down', 'refused it (503)'],
] as const)('a login cannot begin if its issuer is faulty (%s)', async (how, why) => {
  far.behave(how)
  await expect(loginIn(openLogins()).begin()).rejects.toThrow(why)
})

test('a login at a remote MCP server requires an https address that is not local', async () => {
  const login = loginIn(openLogins(), undefined, 'http://far.example.org/mcp')
  await expect(login.begin()).rejects.toThrow('its address has to begin with https:// for a login')
  const there = new URL('https://far.example.org')
  for (const address of ['http://127.0.0.1:8080/', 'https://localhost/', 'http://a.org', 'file:///etc', 'x'])
    expect(() => safeAddress(address, there)).toThrow('it has to begin with https://')
  expect(safeAddress('https://login.example.org', there).host).toBe('login.example.org')
})

test('a configured client logs in without registration, and only at its configured issuer', async () => {
  const oauth = { issuer: far.issuer, clientId: 'known', redirectUrl: closed().redirectUrl! }
  await logIn(loginIn(openLogins(), oauth))
  expect(far.asked).toEqual(['authorize', 'token authorization_code'])
  const wrong = loginIn(openLogins(), { ...oauth, issuer: 'https://other.example.org' })
  await expect(wrong.begin()).rejects.toThrow('Authorization server mismatch')
})

test('a login follows no redirect to another host when it gets, renews or revokes tokens', async () => {
  const got: string[] = []
  await using thief = createServer((request, response) => {
    void text(request).then((body) => {
      got.push(`${request.headers.authorization ?? ''} ${body}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(thief.listen(0, '127.0.0.1'), 'listening')
  const sentOn = `${new URL(far.issuer).host} sends it on to another address (307), where no login goes`
  const login = loginIn(openLogins(), closed())
  await logIn(login)
  far.behave({ sendsOnTo: `http://localhost:${(thief.address() as AddressInfo).port}/steal` })
  const renewed = login.auth.onUnauthorized!(refusal())
  await expect(renewed).rejects.toThrow(`its login could not be renewed: ${sentOn}`)
  await expect(login.finish(await answerTo(login))).rejects.toThrow(sentOn)
  expect(await login.logout()).toBe(
    `the tokens could not be revoked, so they are valid until they expire: ${sentOn}`,
  )
  expect(far.asked.at(-1)).toBe('revoke')
  expect(got).toEqual([])
})

test.each(['well', 'only-post'] as const)(
  'a logout authenticates with the client secret as the issuer supports it (%s)',
  async (how) => {
    far.behave(how)
    const login = loginIn(openLogins(), closed())
    await logIn(login)
    expect(await login.logout()).toBe(undefined)
    expect(far.hasLive()).toBe(false)
  },
)

test('the login begun last stays valid even if tokens of an earlier login arrive later', async () => {
  const login = loginIn(openLogins())
  const first = await answerTo(login)
  const { made, release } = far.hold()
  const ended = 'a newer login has replaced this one'
  const told = expect(login.finish(first)).rejects.toThrow(ended)
  await made
  await logIn(login)
  await told
  const file = stored()
  release()
  await login.auth.onUnauthorized!(refusal())
  expect(login.state()).toBe('held')
  expect(far.asked).not.toContain('revoke')
  expect(JSON.parse(stored()).client).toEqual(JSON.parse(file).client)
})

test('a new login stays valid if the token refresh of the previous one is refused afterwards', async () => {
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
})

test('a login asks the server again when it begins, so an earlier wrong answer is not reused', async () => {
  const login = loginIn(openLogins())
  far.challenge('http://169.254.169.254/secret')
  const wrong = 'http://169.254.169.254 is no address for a login: it has to begin with https://'
  await expect(login.begin()).rejects.toThrow(wrong)
  far.challenge(undefined)
  await logIn(login)
  expect(login.state()).toBe('held')
})

test.each([
  [{ authorization_servers: ['x'] }, 'Invalid URL'],
  [{ authorization_servers: ['file:///etc/passwd'] }, 'the login does not work'],
  [{ authorization_servers: ['http://login.example.org'] }, 'it has to begin with https://'],
  [{ resource: 'https://other.example.org/mcp' }, 'does not match'],
  [undefined, 'does not implement OAuth 2.0 Protected Resource Metadata'],
])('a login with the server metadata %j is rejected before any registration', async (login, why) => {
  far.describe(login && { resource: far.url, authorization_servers: [far.issuer], ...login })
  await expect(loginIn(openLogins()).begin()).rejects.toThrow(why)
  expect(far.asked).toEqual([])
})

test('a logout ends a login in progress, stores nothing and revokes tokens that arrive late', async () => {
  const login = loginIn(openLogins())
  const answer = await answerTo(login)
  const { made, release } = far.hold()
  const told = expect(login.finish(answer)).rejects.toThrow(
    'somebody logged out or disconnected the server meanwhile',
  )
  await made
  expect(login.isUnderWay()).toBe(true)
  expect(await login.logout()).toBe(undefined)
  await told
  expect(login.isUnderWay()).toBe(false)
  release()
  await expect.poll(far.hasLive).toBe(false)
  expect(readdirSync(dir.path)).toEqual([])
  expect(login.state()).toBe('none')
})

test('a logout ends a token refresh in progress, stores nothing and revokes its new tokens', async () => {
  const login = loginIn(openLogins())
  await logIn(login)
  const { made, release } = far.hold()
  const renewed = login.auth.onUnauthorized!(refusal())
  await made
  await login.logout()
  release()
  await renewed
  expect(far.hasLive()).toBe(false)
  expect(readdirSync(dir.path)).toEqual([])
})

test('login files are stored in a directory with mode 700', async () => {
  const made = join(dir.path, 'logins')
  await logIn(loginIn(createMcpLogins({ dir: made, back: () => BACK, log: memoryLog() })))
  expect(statSync(made).mode & 0o777).toBe(0o700)
  expect(readdirSync(made)).toEqual(['far.json'])
})

test('a login file of an earlier version, with replaced logins, still connects and logs out', async () => {
  await logIn(loginIn(openLogins()))
  const login: unknown = JSON.parse(stored())
  writeFileSync(join(dir.path, 'far.json'), JSON.stringify({ ...(login as object), replaced: [login] }))
  await using one = open()
  await is(one, 'up')
  far.expire()
  expect(await one.call('far_echo')).toContain('done')
  expect(await one.login.logout()).toBe(undefined)
  expect(far.hasLive()).toBe(false)
})

test('a login store remembers its newest secrets and forgets older ones', async () => {
  const store = new LoginStore(join(dir.path, 'far.json'), () => undefined)
  for (let number = 0; number < 50; number++)
    await store.write({
      url: far.url,
      tokens: { access_token: `token ${number}`, token_type: 'Bearer' },
      client: { client_id: 'known', client_secret: 'key' },
      server: { authorizationServerUrl: far.issuer },
    })
  expect(store.secrets.length).toBeLessThan(40)
  expect(store.secrets.slice(-3)).toEqual(['token 48', 'token 49', 'key'])
})

test('another process can delete a login by its server name, which revokes its tokens', async () => {
  await logIn(loginIn(openLogins()))
  expect(await openLogins().forget('far')).toEqual({ why: undefined })
  expect(far.hasLive()).toBe(false)
  expect(readdirSync(dir.path)).toEqual([])
  expect(await openLogins().forget('far')).toBe(undefined)
})

test('a damaged login file is removed by its server name, and invalid names remove no file', async () => {
  writeFileSync(`${dir.path}/far.json`, Buffer.from([0, 255, 1]))
  writeFileSync(`${dir.path}/FAR.json`, '{}')
  const logins = openLogins()
  expect(await logins.forget('far')).toEqual({
    why: 'its file was damaged, so its tokens are valid until they expire',
  })
  for (const name of ['../logins/far', 'FAR', '', '\u0000', 'x'.repeat(5_000)])
    expect(await logins.forget(name)).toBe(undefined)
  expect(readdirSync(dir.path)).toEqual(['FAR.json'])
})
