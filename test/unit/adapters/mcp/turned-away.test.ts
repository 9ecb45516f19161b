import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { McpByUrl } from '../../../../src/adapters/mcp/config.ts'
import { createRawServers } from '../../../support/mcp/raw-servers.ts'

/** Why a server is down that answers everything so. */
async function whyDown(
  status: number,
  text: string,
  more: Partial<McpByUrl> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status, headers).end(text))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  await using servers = createRawServers([{ name: 'far', trust: 'ask', reach: { url, ...more } }])
  await servers.until(() => servers.state('far')?.kind === 'down')
  const state = servers.state('far')
  server.closeAllConnections()
  await once(server.close(), 'close')
  return state?.kind === 'down' ? state.why : ''
}

const headers = { Authorization: 'Bearer s3cret-token' }

describe('a server that turns us away', () => {
  test.each([
    [
      401,
      '',
      {},
      'it does not know who asks (401): /mcp login far, or give it a token by token_env or header_env',
    ],
    [
      401,
      'no s3cret-token',
      { headers },
      'it does not take the token or header that it is given (401): look at token_env and header_env: no ***',
    ],
    [
      403,
      '',
      {},
      'it does not allow that to who asks (403): /mcp login far, or give it another token by token_env or header_env',
    ],
    [
      403,
      'members\u001b[2J only',
      { headers },
      /^it does not allow that to who asks \(403\): .* header_env: members.{0,6} only$/,
    ],
    [500, '', {}, 'it answered with the status 500'],
    [503, 'too many users', {}, /too many users$/],
    [429, 'x'.repeat(5_000), {}, /x{100}/],
  ])('with %i and %j says what to do', async (status, text, more, why) => {
    const said = await whyDown(status, text, more)
    expect(said).toEqual(typeof why === 'string' ? why : expect.stringMatching(why))
    expect(said.length).toBeLessThan(500)
  })
})
