import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFile } from '../../src/adapters/storage/sqlite/driver.ts'
import { createHttpCaller, HTTP_CONFIG, withBearer } from '../support/http-caller.ts'
import { rawHttp } from '../support/raw-http.ts'
import { answer } from '../support/model-server.ts'
import { type AnyServer, startServer } from '../support/server.ts'
import { createModelStageHere, createStage, createStageHere, type ModelStage } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'

/** For what a busy machine may take long for. */
const PATIENT = { timeout: 10_000 }

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere(HTTP_CONFIG, { http: true })
  await stage.claim('alice')
})
afterAll(() => stage[Symbol.asyncDispose]())

const { base, token, get } = createHttpCaller(() => stage)

describe('anybody', () => {
  test('is told that the server lives and is ready, and nothing else', async () => {
    for (const [path, text] of [
      ['/healthz', 'ok\n'],
      ['/readyz', 'ready\n'],
      ['/healthz?x=1', 'ok\n'],
    ] as const) {
      const response = await get(path)
      expect([response.status, await response.text()]).toEqual([200, text])
    }
    expect(await (await get('/healthz', {}, 'HEAD')).text()).toBe('')
    for (const path of [
      '/',
      '/HEALTHZ',
      '/healthz/',
      '//healthz',
      '/%68ealthz',
      '/constructor',
      '/__proto__',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    const posted = await get('/healthz', {}, 'POST')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test.each(['/metrics', '/mcp'])(
    'without a token, or with a wrong one, gets a challenge at %s',
    async (path) => {
      const none = await get(path)
      expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sshawl"'])
      const basic = await get(path, { authorization: 'Basic YWxpY2U6' })
      expect([basic.status, basic.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sshawl"'])
      const wrong = await get(path, withBearer(`sshawl_${'A'.repeat(43)}`))
      const challenge = 'Bearer realm="sshawl", error="invalid_token"'
      expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, challenge])
      expect(await wrong.text()).toBe(await none.text())
    },
  )
})

describe('readiness', () => {
  test('ends while nothing can be stored, and comes back', async ({ skip }) => {
    skip(onPostgres, "it holds SQLite's file; postgres-trouble.test.ts has the same while PostgreSQL is away")
    const other = openFile(join(stage.server.dataDir, 'sshawl.db'))
    other.exec('BEGIN IMMEDIATE')
    await expect.poll(async () => (await get('/readyz')).status, PATIENT).toBe(503)
    const told = await get('/readyz')
    expect([told.headers.get('retry-after'), await told.text()]).toEqual([
      '5',
      expect.stringMatching(/^(nothing can be stored just now|the storage does not answer)\n$/) as string,
    ])
    expect((await get('/healthz')).status).toBe(200)
    other.close()
    await expect.poll(async () => (await get('/readyz')).status, PATIENT).toBe(200)
  })

  test('ends once the server stops', async () => {
    await using other = await createStageHere({ http: true })
    using raw = await rawHttp(other.server.http)
    // A request that is not whole yet is not cut off at once.
    raw.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /readyz HTTP/1.1\r\nHost: localhost\r\n')
    await raw.until('ok\n')
    const stopped = other.server.stop('SIGTERM')
    await refused(other.server.http)
    raw.write('\r\n')
    expect((await raw.until('the server is stopping\n')).statuses).toEqual([200, 503])
    await stopped
  })
})

/** Resolves once nobody can connect any more. */
async function refused(address: string): Promise<void> {
  for (;;)
    try {
      using _raw = await rawHttp(address)
    } catch {
      return
    }
}

describe('the address of a client behind a proxy', () => {
  const ask = async (address: string, bearer: string, forwarded: string): Promise<number> => {
    const headers = withBearer(bearer, { 'x-forwarded-for': forwarded })
    return (await fetch(`${address}/metrics`, { headers })).status
  }

  test('is the one that a named proxy added last, whatever the client wrote before it', async () => {
    const made = await token('bob')
    await stage.as('alice', ['ban', '203.0.113.0/24', '1h'])
    expect(await ask(base(), made, '203.0.113.7')).toBe(401)
    expect(await ask(base(), made, '198.51.100.1, 203.0.113.7')).toBe(401)
    expect(await ask(base(), made, '203.0.113.7, 198.51.100.1')).toBe(403)
    expect(await ask(base(), made, '::ffff:203.0.113.7')).toBe(401)
    expect(await ask(base(), made, 'nonsense')).toBe(403)
    await stage.as('alice', ['unban', '203.0.113.0/24'])
    expect(await ask(base(), made, '203.0.113.7')).toBe(403)
  })

  test('is that of the connection where no proxy is named', async () => {
    await using other = await createStageHere({ http: true })
    await other.claim('alice')
    const made = (await other.as('bob', ['token', 'new'])).stdout.trim()
    await other.as('alice', ['ban', '203.0.113.0/24', '1h'])
    expect(await ask(other.server.http, made, '203.0.113.7')).toBe(403)
  })
})

describe('the metrics', () => {
  test('are for tokens of admins that are bound to no room', async () => {
    expect((await get('/metrics', withBearer(await token('bob')))).status).toBe(403)
    expect((await get('/metrics', withBearer(await token('alice', '--rooms', 'lobby')))).status).toBe(403)
    const read = await get('/metrics', withBearer(await token('alice')))
    expect([read.status, read.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
  })

  test('count what was said, delivered, asked, used and run, and how long composing took', async () => {
    await using session = await stage.open('bob', '-T')
    await session.waitFor('lobby')
    const sum = '@guide call calculator {"expression":"1+1"}'
    expect((await stage.as('alice', ['ask', 'lobby', sum])).exitCode).toBe(0)
    stage.models.play(answer([{ text: 'two' }], { usage: [70, 5] }))
    expect((await stage.as('alice', ['ask', 'lobby', '@qwen', 'and', 'you?'])).exitCode).toBe(0)
    const text = await (await get('/metrics', withBearer(await token('alice')))).text()
    const figures = new Map(
      text
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    )
    expect(figures.get('sshawl_sessions')).toBe(1)
    expect(figures.get('sshawl_turns_total{model="guide",outcome="done"}')).toBe(1)
    expect(figures.get('sshawl_tool_calls_total{tool="calculator",outcome="done"}')).toBe(1)
    expect(figures.get('sshawl_tool_seconds_count')).toBe(1)
    expect(figures.get('sshawl_entries_total{kind="message"}')).toBe(2)
    expect(figures.get('sshawl_deliveries_total')).toBeGreaterThanOrEqual(4)
    expect(figures.get('sshawl_wrap_seconds_count{outcome="done"}')).toBeGreaterThanOrEqual(1)
    expect(figures.get('sshawl_tokens_total{model="qwen",kind="input"}')).toBe(70)
    expect(figures.get('sshawl_queue_bytes')).toBe(0)
    expect(figures.get('sshawl_turns_running')).toBe(0)
  })
})

describe('a token', () => {
  test('lets nobody in once it is revoked', async () => {
    const { id, token: made } = JSON.parse((await stage.as('alice', ['token', 'new', '--json'])).stdout)
    expect((await get('/metrics', withBearer(made))).status).toBe(200)
    expect((await stage.as('alice', ['token', 'revoke', String(id)])).exitCode).toBe(0)
    expect((await get('/metrics', withBearer(made))).status).toBe(401)
  })

  test('lets nobody in while its maker is banned, and after the restart of the server it still does', async () => {
    await stage.goOnWith(startServer)
    const made = await token('mallory')
    expect((await get('/metrics', withBearer(made))).status).toBe(403)
    await stage.as('alice', ['ban', 'mallory'])
    expect((await get('/metrics', withBearer(made))).status).toBe(401)
    await stage.as('alice', ['unban', 'mallory'])
    await stage.restart('SIGKILL')
    expect((await get('/metrics', withBearer(made))).status).toBe(403)
  })

  test('is read from its header alone', async () => {
    const made = await token('alice')
    for (const path of [`/metrics?access_token=${made}`, `/metrics?token=${made}`])
      expect((await get(path)).status).toBe(401)
    expect((await get('/metrics', { cookie: `token=${made}` })).status).toBe(401)
    expect((await get('/metrics', { authorization: `bearer  ${made}` })).status).toBe(200)
    expect((await get('/metrics', { authorization: `Bearer ${made} x` })).status).toBe(401)
  })
})

test('SIGTERM ends it while clients are connected, with exit 0', async () => {
  await using other = await createStage({ http: true })
  using idle = await rawHttp(other.server.http)
  using slow = await rawHttp(other.server.http)
  slow.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n')
  expect(await other.server.stop('SIGTERM')).toBe(0)
  expect((await idle.closed()).statuses).toEqual([])
})
