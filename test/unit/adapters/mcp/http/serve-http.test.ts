import { expect, test } from 'vitest'
import type { Person, PersonId } from '../../../../../src/chat/people/person.ts'
import type { ClosableAgent } from '../../../../../src/adapters/mcp/http/ports.ts'
import { createMcpHttp } from '../../../../../src/adapters/mcp/http/serve-http.ts'
import { createMcpServer } from '../../../../../src/adapters/mcp/server/server.ts'
import { createDeferred } from '../../../../../src/lib/deferred.ts'
import { INITIALIZE } from '../../../../support/mcp/http-agent.ts'

const PERSON: Person = { id: 'p1' as PersonId, name: 'bob', admin: false, guest: false }

/** An agent that does nothing, and tells when it is closed. */
function createAgent() {
  const closed = createDeferred<void>()
  const over = new AbortController()
  const agent: ClosableAgent = {
    signal: over.signal,
    name: () => 'bob',
    run: async () => ({ ok: true, out: '', told: '' }),
    follow: async () => undefined,
    unfollow() {},
    sees: async () => true,
    timesPutOut: () => 0,
    readMessages: () => () => {},
    listen() {},
    async close() {
      over.abort()
      closed.resolve()
    },
  }
  return { agent, closed: closed.promise }
}

function serve(openAgent: () => Promise<ClosableAgent>, idleS: number) {
  const limits = { exec_per_person: 8, mcp_idle_s: idleS, queue_bytes: 1_000 }
  const clock = { monotonic: () => performance.now() }
  return createMcpHttp({ openAgent, createMcpServer, limits, clock, version: '1', report() {} })
}

const message = (
  body: object,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
    signal,
  })

test('a client that goes away while its agent is opened leaves no session', async () => {
  const { agent, closed } = createAgent()
  const [asked, opened] = [createDeferred<void>(), createDeferred<ClosableAgent>()]
  await using mcp = serve(async () => {
    asked.resolve()
    return await opened.promise
  }, 1_800)
  const gone = new AbortController()
  const answer = mcp.fetch(message(INITIALIZE, gone.signal), PERSON)
  await asked.promise
  gone.abort()
  opened.resolve(agent)
  await answer
  await closed
  expect(mcp.sessions()).toBe(0)
})

test('a request whose client is gone already does not keep its session from being idle', async () => {
  const { agent, closed } = createAgent()
  await using mcp = serve(async () => agent, 0.1)
  const first = new AbortController()
  const response = await mcp.fetch(message(INITIALIZE, first.signal), PERSON)
  const session = response.headers.get('mcp-session-id') ?? ''
  first.abort()
  const gone = AbortSignal.abort()
  await mcp.fetch(
    message({ jsonrpc: '2.0', id: 2, method: 'ping' }, gone, { 'mcp-session-id': session }),
    PERSON,
  )
  await closed
  expect(mcp.sessions()).toBe(0)
})

test('a client whose session ends while its rooms are looked up is told so', async () => {
  const { agent } = createAgent()
  const [asked, looked] = [createDeferred<void>(), createDeferred<undefined>()]
  const follow = async (): Promise<undefined> => {
    asked.resolve()
    return await looked.promise
  }
  await using mcp = serve(async () => ({ ...agent, follow }), 1_800)
  const { signal } = new AbortController()
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const answer = mcp.fetch(message(LISTEN, signal, headers), PERSON)
  await asked.promise
  await agent.close()
  looked.resolve(undefined)
  const response = await answer
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('is over; ask again')
})

const LISTEN = {
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { resourceSubscriptions: ['room://hall/log'] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}
