import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { startSite } from '../support/site.ts'

const inner = await forAllTests(startSite((_request, response) => void response.end('secret')))
const stage = await forAllTests(
  createStageHere({ config: `[tools.web]\nports = [80, 443, ${inner.port}]\n` }),
)
await stage.claim('rhea')

const call = async (tool: string, args: object): Promise<string> =>
  (await stage.as('rhea', ['ask', 'lobby', '@guide', 'call', tool, JSON.stringify(args)])).stdout

/** The tools that reach the network and are offered. */
async function offeredOf(
  server: Stage<AnyServer>,
): Promise<readonly { readonly id: string; readonly access: string }[]> {
  const { stdout } = await server.as('rhea', ['tools', 'lobby', '--json'])
  const { tools } = JSON.parse(stdout) as { tools: { id: string; access: string; visible: boolean }[] }
  return tools
    .filter(({ visible, access }) => visible && access === 'network')
    .map(({ id, access }) => ({ id, access }))
}

test('a server with [tools.web] offers WebFetch, but no search without a provider', async () => {
  expect(await offeredOf(stage)).toEqual([{ id: 'WebFetch', access: 'network' }])
})

test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'localhost.'])(
  'a model cannot fetch the private address %s with web_fetch or WebFetch',
  async (host) => {
    for (const tool of ['web_fetch', 'WebFetch']) {
      const answer = await call(tool, { url: `http://${host}:${inner.port}/` })
      expect(answer).toContain('is refused: it is a private or local address')
    }
    expect(inner.connections()).toBe(0)
  },
)

test('web_fetch needs a permission, which a script cannot give', async () => {
  expect(await call('web_fetch', { url: 'http://192.0.32.8/' })).toContain(
    'Permission denied: fetch http://192.0.32.8/?',
  )
})

test('web_search needs a permission and returns the results of the provider', async () => {
  await using searxng = await startSite((_request, response) => {
    const results = [{ title: 'Shawls', url: 'https://shawl.test/', content: 'Warm and woolly' }]
    response.end(JSON.stringify({ results }))
  })
  const search = `{ provider = "searxng", url = "http://127.0.0.1:${searxng.port}" }`
  await using searching = await createStageHere({
    config: `[tools.web]\nfetch = false\nsearch = ${search}\n`,
  })
  await searching.claim('rhea')
  const run = (...flags: string[]) =>
    searching.as('rhea', ['run', ...flags, 'lobby', 'web_search', '{"q":"shawls"}'])
  expect((await run()).stderr).toContain('Permission denied: search for "shawls"?')
  expect(searxng.connections()).toBe(0)
  const { stdout, exitCode } = await run('--allow', 'google_search')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('1. Shawls\n   https://shawl.test/\n   Warm and woolly\n')
  expect(await offeredOf(searching)).toEqual([{ id: 'WebSearch', access: 'network' }])
})

test('a server without [tools.web] offers no web tool', async () => {
  await using plain = await createStageHere()
  await plain.claim('rhea')
  expect(await offeredOf(plain)).toEqual([])
})
