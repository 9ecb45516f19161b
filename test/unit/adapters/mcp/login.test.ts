import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import type { McpByUrl, McpServerConfig } from '../../../../src/adapters/mcp/config.ts'
import { createMcpLogins, type McpLogins } from '../../../../src/adapters/mcp/login/logins.ts'
import type { ToolContext } from '../../../../src/tools/context.ts'
import { memoryLog } from '../../../support/chat-parts.ts'
import { logInAt, startLoginServers, type LoginServers } from '../../../support/mcp/login-server.ts'
import { createRawServers, type RawServers } from '../../../support/mcp/raw-servers.ts'
import { temporaryDir } from '../../../support/storage.ts'

const BACK = 'http://127.0.0.1:2223/oauth/callback'

const far = (url: string, more: Partial<McpByUrl> = {}): McpServerConfig => ({
  name: 'far',
  trust: 'ask',
  reach: { url, ...more },
})

const loginsOf = new WeakMap<RawServers, McpLogins>()

/** Servers, and the logins at them, which are kept in a directory. */
function open(
  dir: string,
  config: McpServerConfig,
): { servers: RawServers; logins: McpLogins; log: ReturnType<typeof memoryLog> } {
  const lines: string[] = []
  const keep = (facts: object, text: string): void => void lines.push(inspect([text, facts], { depth: 9 }))
  const log = { lines, debug: keep, info: keep, warn: keep, error: keep }
  const logins = createMcpLogins({ dir, back: () => BACK, log })
  const servers = createRawServers([config], {}, { logins })
  loginsOf.set(servers, logins)
  return { servers, logins, log }
}

const call = (servers: RawServers, id: string) =>
  servers.tool(id)!.run({}, { signal: new AbortController().signal } as ToolContext)

const loginOf = (servers: RawServers) => loginsOf.get(servers)!.of(servers.find('far')!.config)!

/** As a person does it: opens the address, and comes back with what the browser shows. */
async function logIn(servers: RawServers): Promise<void> {
  const { address } = await loginOf(servers).begin()
  await loginOf(servers).finish(new URL(await logInAt(address)).searchParams)
  await servers.find('far')!.refresh()
}

const isDown = (servers: RawServers) => () => servers.state('far')?.kind === 'down'
const isUp = (servers: RawServers) => () => servers.state('far')?.kind === 'up'

describe('a server that wants a login', () => {
  test('says how, is there after one, and its tokens are kept for us alone', async () => {
    using dir = temporaryDir()
    await using far1 = await startLoginServers()
    const { servers } = open(join(dir.path, 'logins'), far(far1.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    expect(servers.state('far')).toEqual({
      kind: 'down',
      why: 'it wants a login: /mcp login far, or give it a token by token_env',
    })
    expect(far1.asked).toEqual([])
    await logIn(servers)
    expect(servers.ids()).toEqual(['far_echo', 'far_token', 'far_admin', 'far_audit'])
    expect((await call(servers, 'far_echo')).content).toContain('done')
    expect(far1.asked).toEqual(['register', 'authorize', 'token authorization_code'])
    expect(statSync(join(dir.path, 'logins')).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir.path, 'logins/far.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(dir.path, 'logins'))).toEqual(['far.json'])
  })

  test('is there after a restart without another one, and not for a server at another address', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    await using other = await startLoginServers()
    {
      const { servers } = open(dir.path, far(server.url))
      await using _servers = servers
      await servers.until(isDown(servers))
      await logIn(servers)
    }
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isUp(servers))
    const elsewhere = open(dir.path, far(other.url))
    await using _elsewhere = elsewhere.servers
    await elsewhere.servers.until(isDown(elsewhere.servers))
    expect(loginOf(elsewhere.servers).state()).toBe('wanted')
  })

  test('gets a new token when the old one has ended, one for all calls that wait, and keeps it', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    const before = readFileSync(join(dir.path, 'far.json'), 'utf8')
    server.expire()
    const answers = await Promise.all([1, 2, 3, 4].map(() => call(servers, 'far_echo')))
    expect(answers.map(({ isError }) => isError ?? false)).toEqual([false, false, false, false])
    expect(server.asked.filter((one) => one === 'token refresh_token')).toHaveLength(1)
    expect(readFileSync(join(dir.path, 'far.json'), 'utf8')).not.toBe(before)
    expect(servers.told).toEqual([])
  })

  test('keeps its login where the giver of tokens is in trouble, and goes on with it after', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    server.expire()
    server.behave('down')
    const { host } = new URL(server.issuer)
    expect((await call(servers, 'far_echo')).content).toBe(
      `ERROR: far_echo: its login could not be renewed: ${host} refused it (503)`,
    )
    await servers.until(() => servers.told.length === 1)
    server.behave('well')
    await servers.until(() => servers.told.length === 2)
    expect(servers.told[1]).toBe('back far: far_echo far_token far_admin far_audit')
    expect((await call(servers, 'far_echo')).content).toContain('done')
  })

  test('is gone with one notice where its login was revoked, and there again after another one', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    server.revokeAll()
    const { host } = new URL(server.issuer)
    const why = `its login has ended (${host} refused it (400, invalid_grant: not that one)): /mcp login far`
    expect((await call(servers, 'far_echo')).content).toBe(`ERROR: far_echo: ${why}`)
    await servers.until(() => servers.told.length > 0)
    expect(servers.told[0]).toMatch(/^left far: it(s login has ended| wants a login)/)
    expect(readdirSync(dir.path)).toEqual([])
    await logIn(servers)
    expect((await call(servers, 'far_echo')).content).toContain('done')
    expect(server.asked.filter((one) => one === 'register')).toHaveLength(1)
  })

  test('is left with its tokens taken back', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    expect(await loginOf(servers).leave()).toBe(undefined)
    expect(server.asked.at(-1)).toBe('revoke')
    expect(readdirSync(dir.path)).toEqual([])
    expect((await call(servers, 'far_echo')).content).toContain('it wants a login: /mcp login far')
  })

  test('asks for more where a tool wants more, and the next login does, beside what it had', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    expect((await call(servers, 'far_admin')).content).toBe(
      'ERROR: far_admin: it wants a login that may do more (admin): /mcp login far',
    )
    expect((await call(servers, 'far_echo')).content).toContain('done')
    await logIn(servers)
    expect(server.scopes).toEqual([null, 'admin'])
    expect((await call(servers, 'far_admin')).content).toContain('done')
    expect((await call(servers, 'far_audit')).content).toContain('(audit)')
    await logIn(servers)
    expect(server.scopes.at(-1)).toBe('admin audit')
    expect((await call(servers, 'far_admin')).content).toContain('done')
  })
})

describe('a login', () => {
  test('is ended by its own answer alone, once, and by the one that was begun last', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers, logins } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    const login = loginOf(servers)
    const none = 'no login of it is under way, or it took too long: /mcp login far begins one'
    const wrong = 'that is no answer to the login that was begun last: give the whole address'
    await expect(login.finish(new URLSearchParams('code=1&state=2'))).rejects.toThrow(none)
    const first = new URL(await logInAt((await login.begin()).address)).searchParams
    const second = new URL(await logInAt((await login.begin()).address)).searchParams
    expect(logins.begunWith(first.get('state')!)).toBe(undefined)
    expect(logins.begunWith(second.get('state')!)).toBe('far')
    await expect(login.finish(first)).rejects.toThrow(wrong)
    await expect(login.finish(new URLSearchParams({ code: second.get('code')! }))).rejects.toThrow(wrong)
    await login.finish(second)
    await expect(login.finish(second)).rejects.toThrow(none)
    expect(login.state()).toBe('held')
  })

  test('is refused where the code is of another login (PKCE), or another giver answers (RFC 9207)', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    const login = loginOf(servers)
    const stolen = new URL(await logInAt((await login.begin()).address)).searchParams
    const mine = new URL(await logInAt((await login.begin()).address)).searchParams
    const mixed = new URLSearchParams(mine)
    mixed.set('code', stolen.get('code')!)
    await expect(login.finish(mixed)).rejects.toThrow('400, invalid_grant')
    const again = new URL(await logInAt((await login.begin()).address)).searchParams
    again.set('iss', 'https://evil.example.org')
    await expect(login.finish(again)).rejects.toThrow(/[Ii]ssuer/)
    expect(login.state()).toBe('wanted')
    expect(server.given.size).toBe(0)
  })

  test('that a person refuses says so', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    const login = loginOf(servers)
    const state = new URL((await login.begin()).address).searchParams.get('state')!
    const answer = {
      error: 'access_denied',
      error_description: 'not\u001b[2J today',
      state,
      iss: server.issuer,
    }
    await expect(login.finish(new URLSearchParams(answer))).rejects.toThrow(/^not.{0,8} today$/)
  })

  test.each([
    ['other', /[Ii]ssuer/],
    ['insecure', 'http://login.example.org is no address for a login: it has to begin with https://'],
    ['garbage', 'what it says of its login is not as OAuth has it'],
    ['no-registration', 'does not support dynamic client registration'],
    ['down', 'refused it (503)'],
  ] as const)('cannot be begun at a giver of tokens that is %s', async (how, why) => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    server.behave(how)
    const { servers } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await expect(loginOf(servers).begin()).rejects.toThrow(why)
  })

  test('leaves no token in an error, a result, a log or on the console, whatever comes back', async () => {
    using dir = temporaryDir()
    const warn = vi.spyOn(console, 'warn')
    await using server = await startLoginServers()
    const { servers, log } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    const said = [(await call(servers, 'far_token')).content]
    expect(said[0]).toContain('***')
    expect(servers.tool('far_echo')!.description).toBe('echo for ***')
    server.behave('echo')
    server.expire()
    said.push((await call(servers, 'far_echo')).content)
    expect(said[1]).toContain('its login has ended')
    said.push(...servers.told, ...log.lines, inspect(servers.state('far')))
    for (const secret of server.given) expect(said.join('\n')).not.toContain(secret)
    expect(said.join('\n')).not.toContain('\u001b')
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  test('begins only where nobody reads on the way, and asks no address of ours for a server elsewhere', async () => {
    using dir = temporaryDir()
    const log = memoryLog()
    const logins = createMcpLogins({ dir: dir.path, back: () => BACK, log })
    const login = logins.of(far('http://far.example.org/mcp'))!
    await expect(login.begin()).rejects.toThrow('its address has to begin with https:// for a login')
    const { needSafe } = await import('../../../../src/adapters/mcp/login/safe-address.ts')
    const elsewhere = new URL('https://far.example.org')
    for (const address of [
      'http://127.0.0.1:8080/',
      'https://localhost/',
      'http://a.org',
      'file:///etc',
      'x',
    ])
      expect(() => needSafe(address, elsewhere)).toThrow('it has to begin with https://')
    expect(needSafe('https://login.example.org', elsewhere).host).toBe('login.example.org')
  })

  test('that is damaged on disk is told in the log, and another one can be made', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    mkdirSync(dir.path, { recursive: true })
    writeFileSync(join(dir.path, 'far.json'), '{"url":')
    const { servers, log } = open(dir.path, far(server.url))
    await using _servers = servers
    await servers.until(isDown(servers))
    expect(log.lines.join()).toContain('the file of a login could not be read; /mcp login makes another')
    await logIn(servers)
    expect(servers.state('far')).toEqual({ kind: 'up', leftOut: [] })
  })
})

describe('a login that the config describes', () => {
  test('is that of a client which the operator registered, and its secret goes to its issuer alone', async () => {
    using dir = temporaryDir()
    await using server = await startLoginServers()
    const oauth = {
      issuer: server.issuer,
      clientId: 'known',
      redirectUrl: 'https://chat.example.org/oauth/callback',
    }
    const { servers } = open(dir.path, far(server.url, { oauth }))
    await using _servers = servers
    await servers.until(isDown(servers))
    await logIn(servers)
    expect(server.asked).toEqual(['authorize', 'token authorization_code'])
    const wrong = open(
      dir.path,
      far(server.url, { oauth: { ...oauth, issuer: 'https://other.example.org' } }),
    )
    await using _wrong = wrong.servers
    await expect(loginOf(wrong.servers).begin()).rejects.toThrow(
      'the issuer of its tokens is not the one that the config names',
    )
  })

  test('needs no person with client_credentials, and begins again where its token ended', async () => {
    using dir = temporaryDir()
    await using server: LoginServers = await startLoginServers()
    const grant = 'client_credentials' as const
    const oauth = {
      grant,
      issuer: server.issuer,
      clientId: 'robot',
      clientSecret: 'r0b0t-secret',
      scopes: ['admin'],
    }
    const { servers } = open(dir.path, far(server.url, { oauth }))
    await using _servers = servers
    await servers.until(isUp(servers))
    expect((await call(servers, 'far_admin')).content).toContain('done')
    server.expire()
    expect((await call(servers, 'far_echo')).content).toContain('done')
    expect(server.asked).toEqual(['token client_credentials', 'token client_credentials'])
    await expect(loginOf(servers).begin()).rejects.toThrow('it logs in by itself')
    expect(readdirSync(dir.path)).toEqual([])
    const wrong = open(dir.path, far(server.url, { oauth: { ...oauth, clientSecret: 'not-the-secret' } }))
    await using _wrong = wrong.servers
    await wrong.servers.until(isDown(wrong.servers))
    expect(wrong.servers.state('far')).toEqual({
      kind: 'down',
      why: `it could not log in: ${new URL(server.issuer).host} refused it (400, invalid_client: not that one)`,
    })
  })
})
