import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { logInAt, startLoginServers } from '../support/mcp/login-server.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import type { ToolContext } from '../../src/tools/context.ts'
import { byCommand, createRawServers, type RawServers } from '../support/mcp/raw-servers.ts'
import { sshArguments } from '../support/ssh.ts'

const far = await forAllTests(startLoginServers())
const stage = await forAllTests(
  createStageHere({
    isShared: true,
    config: `[[mcp]]\nname = "far"\nurl = "${far.url}"\ntrust = "annotations"\n`,
    http: true,
  }),
)
await stage.claim('rhea')

const run = (tool: string) => stage.as('rhea', ['run', 'lobby', '--allow', tool, tool, '{}'])

/** The address that is to be opened. */
const begun = async (): Promise<string> =>
  (JSON.parse((await stage.as('rhea', ['mcp', 'login', '--json', 'far'])).stdout) as { open: string }).open

test('an MCP login ends in the browser, and the admin then reads that the server is up', async () => {
  await using admin = await stage.open('rhea', '-T')
  await admin.waitFor(/rhea/)
  admin.write('/mcp login far\n')
  await admin.waitFor('far wants a login. Open this in a browser')
  await admin.waitFor('You have 10m for this login.')
  const address = /^\s*(http\S+\/authorize\S+)/m.exec(admin.output())![1]!
  const back = await logInAt(address)
  expect(new URL(back).origin).toBe(stage.server.http)
  const page = await fetch(back)
  expect([page.status, await page.text()]).toEqual([
    200,
    'far is logged in, and it is up; this page can be closed\n',
  ])
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  await admin.waitFor('the MCP server far is logged in, and it is up')
  expect((await run('far_echo')).stdout).toContain('done')
  expect((await stage.as('bob', ['mcp', 'login', 'far'])).stderr).toContain('only admins')
  const again = await fetch(back)
  expect([again.status, await again.text()]).toEqual([
    400,
    'no login like that is under way, or it took too long: an admin begins one with /mcp login NAME\n',
  ])
})

test('/oauth/callback rejects unknown logins with 400 and other methods with 405', async () => {
  const path = `${stage.server.http}/oauth/callback`
  for (const query of ['', '?code=a', '?code=a&state=b', `?state=${'x'.repeat(5_000)}`])
    expect((await fetch(path + query)).status).toBe(400)
  expect((await fetch(path, { method: 'POST' })).status).toBe(405)
  expect((await fetch(path, { method: 'HEAD' })).status).toBe(405)
})

test('a pasted address completes an MCP login, and /mcp logout deletes the login', async () => {
  const back = await logInAt(await begun())
  const quoted = ` "'${back}'" `
  expect((await stage.as('rhea', ['mcp', 'login', 'far', quoted])).stdout).toContain(
    'far  up, 4 tools, logged in',
  )
  expect((await stage.as('rhea', ['mcp', 'logout', 'far'])).stdout.trim()).toBe(
    'the login at far is forgotten, and its tokens were revoked',
  )
  expect((await stage.as('rhea', ['mcp', 'refresh', 'far'])).stderr).toContain('it wants a login')
  expect((await fetch(far.url, { method: 'POST' })).status).toBe(401)
})

test("/mcp disconnect frees the server's name at once, even if the tokens are revoked slowly", async () => {
  await using near = await startLoginServers()
  await stage.as('rhea', ['mcp', 'connect', 'near', near.url])
  const address = await stage.as('rhea', ['mcp', 'login', '--json', 'near'])
  const { open } = JSON.parse(address.stdout) as { open: string }
  await stage.as('rhea', ['mcp', 'login', 'near', await logInAt(open)])
  const { made, release } = near.hold('revocation')
  const gone = stage.as('rhea', ['mcp', 'disconnect', 'near'])
  await made
  expect((await stage.as('rhea', ['mcp', 'list'])).stdout).not.toContain('near')
  expect((await stage.as('rhea', ['mcp', 'connect', 'near', near.url])).stdout).toContain(
    'near wants a login',
  )
  const again = await stage.as('rhea', ['mcp', 'login', '--json', 'near'])
  const { open: next } = JSON.parse(again.stdout) as { open: string }
  const back = await logInAt(next)
  expect((await stage.as('rhea', ['mcp', 'login', 'near', back])).stdout).toContain('up, 4 tools, logged in')
  release()
  expect((await gone).exitCode).toBe(0)
  expect((await stage.as('rhea', ['mcp', 'list'])).stdout).toMatch(/near .*up, 4 tools, logged in/)
  expect(near.logins()).toBe(1)
})

test('tokens of an MCP login are stored only in their own file with mode 0600', async () => {
  await stage.as('rhea', ['mcp', 'login', 'far', await logInAt(await begun())])
  expect((await run('far_token')).stdout).toContain('***')
  const data = join(stage.dir, 'data')
  const file = join(data, 'mcp-logins/far.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const own = await readFile(file, 'utf8')
  expect([...far.given].filter((token) => own.includes(token))).toHaveLength(2)
  const seen = [
    stage.server.stderr(),
    (await stage.as('rhea', ['history', 'lobby', '-n', '200', '--json'])).stdout,
    (await stage.as('rhea', ['mcp', 'list', '--json'])).stdout,
    ...(await Promise.all(
      (await readdir(data, { recursive: true, withFileTypes: true }))
        .filter((one) => one.isFile() && one.name !== 'far.json')
        .map((one) => readFile(join(one.parentPath, one.name), 'latin1')),
    )),
  ].join('\n')
  for (const token of far.given) expect(seen).not.toContain(token)
  expect(seen).not.toMatch(/state=|code=/)
})

describe('our MCP client at our own server', () => {
  let stage: Stage<AnyServer>
  beforeAll(async () => {
    stage = await createStageHere({ config: '[limits]\nrate_burst = 1000\n', http: true })
    await stage.claim('rhea')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const call = async (servers: RawServers, id: string, args: object): Promise<string> => {
    const { content } = await servers
      .tool(id)!
      .run(args, { signal: new AbortController().signal } as ToolContext)
    return content
  }

  /** Says something through a server of ours that we are a client of, and reads it back. */
  async function sayThrough(servers: RawServers, name: string): Promise<void> {
    await servers.until(() => servers.state(name)?.kind === 'up')
    expect(servers.ids()).toContain(`${name}_room_context`)
    await call(servers, `${name}_join`, { room: 'lobby' })
    await call(servers, `${name}_say`, { room: 'lobby', text: `hello through ${name}` })
    expect(await call(servers, `${name}_history`, { room: 'lobby', limit: 5 })).toContain(
      `hello through ${name}`,
    )
  }

  test('our MCP client speaks revision 2026-07-28 to `mcp serve` as the owner of its ssh key', async () => {
    const sent = join(stage.dir, 'sent')
    const target = { user: 'bob', port: stage.server.port, key: await stage.home.key('bob') }
    const ssh = ['ssh', ...sshArguments(target, ['mcp', 'serve'])]
    const noted = ['/bin/sh', '-c', `tee "${sent}" | "$@"`, 'sh', ...ssh]
    await using servers = createRawServers([byCommand('shell', noted)])
    await sayThrough(servers, 'shell')
    expect(await call(servers, 'shell_history', { room: 'lobby', limit: 5 })).toContain('"author":"bob"')
    const methods = (await readFile(sent, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { method: string }).method)
    expect(methods.slice(0, 2)).toEqual(['server/discover', 'tools/list'])
    expect(methods).not.toContain('initialize')
  })

  test('our MCP client uses our HTTP endpoint, and loses the tools when its token is revoked', async () => {
    const { stdout } = await stage.as('eve', ['token', 'new', '--json'])
    const { token, id } = JSON.parse(stdout) as { token: string; id: number }
    const reach = { url: `${stage.server.http}/mcp`, headers: { Authorization: `Bearer ${token}` } }
    await using servers = createRawServers([{ name: 'web', trust: 'ask', reach }], { retryMs: 60_000 })
    await sayThrough(servers, 'web')
    await stage.as('eve', ['token', 'revoke', String(id)])
    expect(await call(servers, 'web_list_rooms', {})).toContain('rejects the token')
    await servers.until(() => servers.told.length > 0)
    expect(servers.told[0]).toContain('left web: it rejects the token or header of the config (401)')
    expect(servers.ids()).toEqual([])
  })
})
