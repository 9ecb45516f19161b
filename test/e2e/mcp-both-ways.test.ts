import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ToolContext } from '../../src/tools/context.ts'
import { byCommand, createRawServers, type RawServers } from '../support/mcp/raw-servers.ts'
import type { AnyServer } from '../support/server.ts'
import { sshArguments } from '../support/ssh.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

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

test("our client speaks the newest revision with `mcp serve` over a real ssh, and is that key's person", async () => {
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

test('our client speaks with our HTTP, and loses the tools with its token', async () => {
  const { stdout } = await stage.as('eve', ['token', 'new', '--json'])
  const { token, id } = JSON.parse(stdout) as { token: string; id: number }
  const reach = { url: `${stage.server.http}/mcp`, headers: { Authorization: `Bearer ${token}` } }
  await using servers = createRawServers([{ name: 'web', trust: 'ask', reach }], { retryMs: 60_000 })
  await sayThrough(servers, 'web')
  await stage.as('eve', ['token', 'revoke', String(id)])
  expect(await call(servers, 'web_list_rooms', {})).toContain('does not take the token')
  await servers.until(() => servers.told.length > 0)
  expect(servers.told[0]).toContain('left web: it does not take the token or header that it is given (401)')
  expect(servers.ids()).toEqual([])
})
