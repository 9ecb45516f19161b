import { expect, test } from 'vitest'
import type { Person, PersonId } from '../../../../src/words/person.ts'
import { McpHttp } from '../../../../src/mcp/server/http.ts'
import type { ClosableAgent } from '../../../../src/mcp/server/agent.ts'
import type { AgentListener } from '../../../../src/chat/agent-listener.ts'
import { createMcpServer } from '../../../../src/mcp/server/server.ts'
import { idleAgent } from '../../../support/mcp/idle-agent.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { newAccount } from '../../../support/shared-by-sessions.ts'
import { INITIALIZE } from '../../../support/mcp/http-agent.ts'

const PERSON: Person = { id: 'p1' as PersonId, name: 'bob', admin: false, guest: false }

/** An agent that does nothing, and tells when it is closed. */
function createAgent() {
  const closed = createDeferred<void>()
  const over = new AbortController()
  const agent: ClosableAgent = {
    ...idleAgent({ signal: over.signal, name: () => 'bob' }),
    async close() {
      over.abort()
      closed.resolve()
    },
  }
  return { agent, closed: closed.promise }
}

function serve(openAgent: () => Promise<ClosableAgent>, idleS = 1_800) {
  const limits = { exec_per_person: 3, mcp_idle_s: idleS }
  return new McpHttp({ accountOf: newAccount, openAgent, createMcpServer, limits, version: '1', report() {} })
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

test('a client that disconnects while its agent is opened leaves no session', async () => {
  const { agent, closed } = createAgent()
  const [asked, opened] = [createDeferred<void>(), createDeferred<ClosableAgent>()]
  await using mcp = serve(async () => {
    asked.resolve()
    return await opened.promise
  })
  const gone = new AbortController()
  const answer = mcp.fetch(message(INITIALIZE, gone.signal), PERSON)
  await asked.promise
  gone.abort()
  opened.resolve(agent)
  await answer
  await closed
  expect(mcp.sessions()).toBe(0)
})

test('a request whose client already disconnected does not keep its session alive', async () => {
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

test('a listen request gets status 503 if its session ends while its rooms are looked up', async () => {
  const { agent } = createAgent()
  const [asked, looked] = [createDeferred<void>(), createDeferred<undefined>()]
  const follow = async (): Promise<undefined> => {
    asked.resolve()
    return await looked.promise
  }
  await using mcp = serve(async () => ({ ...agent, follow }))
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

/** A client with a session, as bytes. Its `post` returns the status of the answer. */
async function initialize(mcp: McpHttp) {
  const opening = new AbortController()
  const opened = await mcp.fetch(message(INITIALIZE, opening.signal), PERSON)
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  opening.abort()
  return {
    status: opened.status,
    async post(method: string, params: object = {}): Promise<number> {
      const gone = new AbortController()
      const body = { jsonrpc: '2.0', id: 2, method, params }
      const answer = await mcp.fetch(message(body, gone.signal, session), PERSON)
      await answer.text()
      gone.abort()
      return answer.status
    },
    async listen() {
      const gone = new AbortController()
      const headers = { accept: 'text/event-stream', ...session }
      const answer = await mcp.fetch(
        new Request('http://localhost/mcp', { headers, signal: gone.signal }),
        PERSON,
      )
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
      return { status: answer.status, reader, end: () => gone.abort() }
    },
    async delete(): Promise<void> {
      const { signal } = new AbortController()
      await mcp.fetch(
        new Request('http://localhost/mcp', { method: 'DELETE', headers: session, signal }),
        PERSON,
      )
    },
  }
}

test('a session with an open stream is not evicted by later sessions without one', async () => {
  const { agent } = createAgent()
  await using mcp = serve(async () => agent)
  const live = await initialize(mcp)
  await live.listen()
  const short = []
  for (let count = 0; count < 9; count++) short.push(await initialize(mcp))
  expect(await live.post('ping')).toBe(200)
  expect(mcp.sessions()).toBe(3)
  const statuses = await Promise.all(short.map((one) => one.post('ping')))
  expect(statuses).toEqual([...Array.from({ length: 7 }, () => 404), 200, 200])
})

test('at most two sessions of a token have streams; a third evicts the least recently used', async () => {
  const { agent } = createAgent()
  await using mcp = serve(async () => agent)
  const live = [await initialize(mcp), await initialize(mcp)]
  for (const one of live) await one.listen()
  await live[0]!.post('ping')
  const third = await initialize(mcp)
  expect((await third.listen()).status).toBe(200)
  await initialize(mcp)
  expect(mcp.sessions()).toBe(3)
  expect(await Promise.all([...live, third].map((one) => one.post('ping')))).toEqual([200, 404, 200])
})

test('a room that two sessions subscribed to is followed until both have unsubscribed or closed', async () => {
  const { agent } = createAgent()
  const unfollowed: string[] = []
  await using mcp = serve(async () => ({ ...agent, unfollow: (room) => void unfollowed.push(room) }))
  const [one, other] = [await initialize(mcp), await initialize(mcp)]
  const hall = { uri: 'room://hall' }
  for (const client of [one, other]) await client.post('resources/subscribe', hall)
  await one.post('resources/unsubscribe', hall)
  expect(unfollowed).toEqual([])
  await other.delete()
  expect(unfollowed).toEqual(['hall'])
})

test('the streams of a token share one reader of direct messages until the last stream ends', async () => {
  const { agent } = createAgent()
  let listener: AgentListener | undefined
  let readers = 0
  await using mcp = serve(async () => ({
    ...agent,
    listen: (heard) => void (listener = heard),
    readMessages: () => {
      readers += 1
      return () => void (readers -= 1)
    },
  }))
  const [one, other] = [await initialize(mcp), await initialize(mcp)]
  await initialize(mcp)
  expect(readers).toBe(0)
  const streams = [await one.listen(), await other.listen()]
  expect(readers).toBe(1)
  let timesRead = 0
  listener?.written({ from: { name: 'ann', guest: false }, text: 'psst', at: 0 }, () => (timesRead += 1))
  for (const { reader } of streams) expect((await reader.read()).value).toContain('psst')
  await expect.poll(() => timesRead).toBe(2)
  streams[0]!.end()
  expect(readers).toBe(1)
  streams[1]!.end()
  expect(readers).toBe(0)
})

test('a client that reconnects before its broken stream was noticed gets the new stream', async () => {
  const { agent } = createAgent()
  await using mcp = serve(async () => agent)
  const client = await initialize(mcp)
  const first = await client.listen()
  expect((await client.listen()).status).toBe(200)
  expect((await first.reader.read()).done).toBe(true)
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
