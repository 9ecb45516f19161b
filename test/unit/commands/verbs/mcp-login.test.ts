import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMcpLogins } from '../../../../src/mcp/logins.ts'
import { memoryLog } from '../../../support/chat-parts.ts'
import { logInAt, startLoginServers, type LoginServers } from '../../../support/mcp/login-server.ts'
import { startHttpMcpServer } from '../../../support/mcp/http-server.ts'
import { rawServer } from '../../../support/mcp/raw-servers.ts'
import {
  createCommandWorld,
  done,
  jsonOf,
  refused,
  type CommandWorld,
} from '../../../support/commands/command-world.ts'

const BACK = 'http://127.0.0.1:2223/oauth/callback'

/** The address that was printed to be opened. */
const printed = ({ out }: { readonly out: readonly string[] }): string =>
  /^ {2}(http\S+)$/m.exec(out.join('\n'))?.[1] ?? ''

const kept = (world: CommandWorld): Promise<string[]> =>
  readdir(join(world.dataDir, 'mcp-logins')).catch(() => [])

test('/mcp connect adds a server that requires a login, which the pasted address completes', async () => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  const origin = new URL(far.url).origin
  const connected = await world.exec(world.root, `mcp connect far ${far.url}`)
  expect(connected.status).toBe(0)
  const [line, how] = connected.out
  expect(line).toBe(
    `far  down (it wants a login: /mcp login far, or give it a token by token_env); ${origin}/…, by root`,
  )
  const address = printed(connected)
  expect(how?.split('\n')).toEqual([
    `far wants a login. Open this in a browser, on any machine, and log in at ${new URL(far.issuer).host}:`,
    `  ${address}`,
    `In the end the browser goes to ${BACK}. If no page is there, copy the address that it shows, and`,
    '  /mcp login far ADDRESS',
    'You have 10m for this login.',
  ])
  expect(jsonOf(await world.exec(world.root, 'mcp list --json'))).toMatchObject([{ login: 'wanted' }])
  const back = await logInAt(address)
  expect(back.startsWith(`${BACK}?code=`)).toBe(true)
  expect(await world.exec(world.root, `mcp login far ${back}`)).toEqual(
    done(`far  up, 4 tools, logged in; ${origin}/…, by root`),
  )
  expect(await kept(world)).toEqual(['far.json'])
})

test('/mcp connect rejects a server that requires a login but allows no client registration', async () => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  far.behave('no-registration')
  const { status, err } = await world.exec(world.root, `mcp connect far ${far.url}`)
  expect({ status, err }).toEqual({
    status: 1,
    err: [
      'far is not connected: it requires authentication, and a login cannot be begun (the login does not work: Incompatible auth server: does not support dynamic client registration; register sshawl there, and write client_id and issuer in the config); give it a token by --token-env; it was not kept',
    ],
  })
  expect(await world.exec(world.root, 'mcp list --json')).toEqual(done('[]'))
})

test('/mcp login is refused to members, and for servers that are unknown or run as a program', async () => {
  await using world = await createCommandWorld()
  await using far = await startHttpMcpServer('streamable')
  await world.exec(world.root, `mcp connect holler ${rawServer('usual').join(' ')}`)
  await world.exec(world.root, `mcp connect plain ${far.url}`)
  for (const line of ['mcp login plain', 'mcp logout plain'])
    expect(await world.exec(world.bob, line)).toEqual(refused('only admins can manage MCP servers'))
  expect(await world.exec(world.root, 'mcp login holler')).toEqual(
    refused('holler is a program on this machine, so it needs no login'),
  )
  expect((await world.exec(world.root, 'mcp login plian')).err).toEqual([
    'there is no MCP server called plian; did you mean plain?',
  ])
  expect((await world.exec(world.root, 'mcp login plain')).status).toBe(1)
  expect(await world.exec(world.root, 'mcp logout plain')).toEqual(refused('nobody is logged in at plain'))
  expect((await world.exec(world.root, 'mcp logout plain now')).status).toBe(2)
  expect((await world.exec(world.root, 'mcp login')).status).toBe(2)
})

test('/mcp login accepts only the complete address of its own attempt, and only once', async () => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  await world.exec(world.root, `mcp connect far ${far.url}`)
  const begun = await world.exec(world.root, 'mcp login --json far')
  expect(jsonOf(begun)).toMatchObject({ name: 'far', back: BACK, holds_s: 600 })
  const back = await logInAt((jsonOf(begun) as { open: string }).open)
  const whole =
    'give the whole address to which the browser went: it has code= and state= in it, and the state shows that it is the answer to your login'
  for (const cut of ['abc', new URL(back).searchParams.get('code')!, back.split('&')[0]!])
    expect(await world.exec(world.root, `mcp login far ${cut}`)).toEqual(refused(whole))
  expect((await world.exec(world.root, `mcp login far ${back.replace('state=', 'state=-')}`)).err).toEqual([
    'far: this address does not belong to the latest login: give the whole address',
  ])
  expect((await world.exec(world.root, `mcp login far ${back.split('?')[1]}`)).status).toBe(0)
  expect((await world.exec(world.root, `mcp login far ${back}`)).err).toEqual([
    'far: no login of it is under way, or it took too long: mcp login far begins one',
  ])
})

test.each(['“ ”', '‘ ’', '< >', '` `', '\\" \\"', '„ “', '« »'])(
  '/mcp login accepts an address in the quotes %s',
  async (quotes) => {
    await using world = await createCommandWorld()
    await using far = await startLoginServers()
    const connected = await world.exec(world.root, `mcp connect far ${far.url}`)
    const [before, after] = quotes.split(' ')
    const quoted = `${before}${await logInAt(printed(connected))}${after}`
    expect(await world.exec(world.root, `mcp login far ${quoted}`)).toMatchObject({ status: 0, err: [] })
  },
)

test('/mcp logout revokes the tokens and deletes the stored login', async () => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  const connected = await world.exec(world.root, `mcp connect far ${far.url}`)
  await world.exec(world.root, `mcp login far ${await logInAt(printed(connected))}`)
  expect(await world.exec(world.root, 'mcp logout far')).toEqual(
    done('the login at far is forgotten, and its tokens were revoked'),
  )
  expect(await kept(world)).toEqual([])
  expect(far.asked.at(-1)).toBe('revoke')
  expect((await world.exec(world.root, 'mcp refresh far')).err).toEqual([
    'far could not be read again: it wants a login: mcp login far, or give it a token by token_env',
  ])
  expect((await world.exec(world.root, 'mcp disconnect far')).status).toBe(0)
})

test.each([
  ['disconnect', undefined],
  ['logout', 'nobody was logged in at far; the login that was begun there is ended'],
])('/mcp %s cancels a pending /mcp login and leaves no valid token', async (verb, said) => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  const connected = await world.exec(world.root, `mcp connect far ${far.url}`)
  const back = await logInAt(printed(connected))
  const { made, release } = far.hold()
  const waiting = world.exec(world.root, `mcp login far ${back}`)
  await made
  const ended = await world.exec(world.root, `mcp ${verb} far`)
  expect(ended.status).toBe(0)
  if (said) expect(ended.out).toEqual([said])
  expect(await waiting).toEqual(
    refused('far: somebody logged out or disconnected the server meanwhile, so the login was not stored'),
  )
  release()
  await expect.poll(far.hasLive).toBe(false)
  expect(await kept(world)).toEqual([])
})

test('/mcp logout deletes the stored login of a server that is in no config', async () => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  await leaveLogin(world, far)
  expect((await world.exec(world.root, 'mcp logout fra')).err).toEqual([
    'there is no MCP server called fra; mcp list shows all',
  ])
  expect(await world.exec(world.root, 'mcp logout far')).toEqual(
    done('the login at far is forgotten, and its tokens were revoked'),
  )
  expect(await kept(world)).toEqual([])
  expect(far.hasLive()).toBe(false)
  expect((await world.exec(world.root, 'mcp logout far')).err).toEqual([
    'there is no MCP server called far; mcp list shows all',
  ])
})

test('the stored login of a removed server is not used for a new one with its name and address', async () => {
  await using world = await createCommandWorld()
  await using far = await startLoginServers()
  await leaveLogin(world, far)
  const connected = await world.exec(world.root, `mcp connect far ${far.url}`)
  expect(connected.out[0]).toContain('it wants a login')
  expect(far.hasLive()).toBe(false)
  expect(await kept(world)).toEqual([])
})

/** As a server does that was logged in to, and then was taken out of the config. */
async function leaveLogin(world: CommandWorld, far: LoginServers): Promise<void> {
  const dir = join(world.dataDir, 'mcp-logins')
  const login = createMcpLogins({ dir, back: () => BACK, log: memoryLog() }).of({
    name: 'far',
    reach: { url: far.url },
  })!
  await login.finish(new URL(await logInAt((await login.begin()).address)).searchParams)
  expect(await kept(world)).toEqual(['far.json'])
}
