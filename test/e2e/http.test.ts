import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { createHttpCaller, HTTP_CONFIG, withBearer, PROXIES } from '../support/http-caller.ts'
import { rawHttp, type RawConnection } from '../support/raw-http.ts'
import { type AnyServer, startServer } from '../support/server.ts'
import { createModelStageHere, createStage, createStageHere, type ModelStage } from '../support/stage.ts'
import { onPostgres, writeConfig } from '../support/stored.ts'
import { askForReload } from '../../src/server/reload-socket.ts'

/** For what a busy machine may take long for. */
const PATIENT = { timeout: 10_000 }

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere(HTTP_CONFIG, { http: true, isShared: true })
  await stage.claim('alice')
})
afterAll(() => stage[Symbol.asyncDispose]())

const { base, token, get, answerTo } = createHttpCaller(() => stage)

describe('any HTTP client', () => {
  test('clients without a token can read /healthz and /readyz, but no other path', async () => {
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
    'a request for %s without a valid token gets status 401 and a Bearer challenge',
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
  test('/readyz answers 503 while the database is locked, and 200 afterwards', async ({ skip }) => {
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
})

describe('the address of a client behind a proxy', () => {
  const ask = async (address: string, bearer: string, forwarded: string): Promise<number> => {
    const headers = withBearer(bearer, { 'x-forwarded-for': forwarded })
    return (await fetch(`${address}/metrics`, { headers })).status
  }

  test('the client address is the last one that a trusted proxy added to X-Forwarded-For', async () => {
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

  test('X-Forwarded-For is ignored if the config names no proxy', async () => {
    await using other = await createStageHere({ http: true })
    await other.claim('alice')
    const made = (await other.as('bob', ['token', 'new'])).stdout.trim()
    await other.as('alice', ['ban', '203.0.113.0/24', '1h'])
    expect(await ask(other.server.http, made, '203.0.113.7')).toBe(403)
  })
})

describe('the metrics', () => {
  test('/metrics accepts only tokens of admins that are bound to no room', async () => {
    expect((await get('/metrics', withBearer(await token('bob')))).status).toBe(403)
    expect((await get('/metrics', withBearer(await token('alice', '--rooms', 'lobby')))).status).toBe(403)
    const read = await get('/metrics', withBearer(await token('alice')))
    expect([read.status, read.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
  })
})

describe('a token', () => {
  test('a revoked token is rejected', async () => {
    const { id, token: made } = JSON.parse((await stage.as('alice', ['token', 'new', '--json'])).stdout)
    expect((await get('/metrics', withBearer(made))).status).toBe(200)
    expect((await stage.as('alice', ['token', 'revoke', String(id)])).exitCode).toBe(0)
    expect((await get('/metrics', withBearer(made))).status).toBe(401)
  })

  test('a token is rejected while its maker is banned, and is valid again after the unban', async () => {
    await stage.goOnWith(startServer)
    const made = await token('mallory')
    expect((await get('/metrics', withBearer(made))).status).toBe(403)
    await stage.as('alice', ['ban', 'mallory'])
    expect((await get('/metrics', withBearer(made))).status).toBe(401)
    await stage.as('alice', ['unban', 'mallory'])
    await stage.restart('SIGKILL')
    expect((await get('/metrics', withBearer(made))).status).toBe(403)
  })

  test('a token is accepted only in the Authorization header', async () => {
    const made = await token('alice')
    for (const path of [`/metrics?access_token=${made}`, `/metrics?token=${made}`])
      expect((await get(path)).status).toBe(401)
    expect((await get('/metrics', { cookie: `token=${made}` })).status).toBe(401)
    expect((await get('/metrics', { authorization: `bearer  ${made}` })).status).toBe(200)
    expect((await get('/metrics', { authorization: `Bearer ${made} x` })).status).toBe(401)
  })
})

test('the server exits with status 0 on SIGTERM while HTTP clients are connected', async () => {
  await using other = await createStage({ http: true })
  using idle = await rawHttp(other.server.http)
  using slow = await rawHttp(other.server.http)
  slow.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n')
  expect(await other.server.stop('SIGTERM')).toBe(0)
  expect((await idle.closed()).statuses).toEqual([])
})

describe('hostile clients', () => {
  describe('requests of a web page in a browser', () => {
    test('a request with an unknown Origin is rejected even if its token is valid', async () => {
      const made = await token('alice')
      for (const origin of [
        'http://evil.example',
        'null',
        'http://localhost',
        base(),
        'https://page.example.org.evil.example',
        '',
      ])
        expect([origin, (await get('/metrics', withBearer(made, { origin }))).status]).toEqual([origin, 403])
      expect((await get('/metrics', withBearer(made, { origin: 'https://page.example.org' }))).status).toBe(
        200,
      )
    })

    test('a CORS preflight is accepted from a configured origin and rejected from another one', async () => {
      const origin = 'https://page.example.org'
      const asked = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      }
      const preflight = await get('/mcp', { origin, ...asked }, 'OPTIONS')
      expect([preflight.status, Object.fromEntries(preflight.headers)]).toEqual([
        204,
        expect.objectContaining({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, POST, DELETE',
          'access-control-allow-headers': expect.stringMatching(
            /Authorization, Content-Type.*Mcp-Session-Id/,
          ),
          vary: 'Origin',
        }),
      ])
      for (const [status, headers] of [
        [401, {}],
        [200, withBearer(await token('alice'))],
      ] as const) {
        const response = await get('/metrics', { origin, ...headers })
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
          status,
          origin,
        ])
        expect(response.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id')
      }
      const other = await get('/mcp', { origin: 'https://evil.example', ...asked }, 'OPTIONS')
      expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null])
      const none = await get('/healthz')
      expect([none.status, none.headers.get('access-control-allow-origin')]).toEqual([200, null])
      expect((await get('/mcp', asked, 'OPTIONS')).status).toBe(405)
    })

    test.each([
      ['evil.example', 403],
      ['evil.example.', 403],
      ['localhost..', 403],
      ['.', 403],
      ['localhost.', 200],
      ['chat.example.org.:443', 200],
      ['localhost.evil.example', 403],
      ['127.0.0.1.evil.example', 403],
      ['127.0.0.1@evil.example', 403],
      ['evil.example:80#127.0.0.1', 403],
      ['2130706433', 403],
      ['[::1', 403],
      ['', 403],
      ['chat.example.org', 200],
      ['CHAT.example.org:443', 200],
      ['localhost', 200],
      ['[::1]:2223', 200],
      ['10.0.0.7:2223', 200],
    ])('the Host header is accepted only if it names this server: %s', async (host, status) => {
      expect((await answerTo('GET /healthz HTTP/1.1', `Host: ${host}`)).statuses).toEqual([status])
    })
  })

  describe('hostile bytes', () => {
    test.each([
      ['no Host', ['GET /healthz HTTP/1.1'], 400],
      ['two Hosts', ['GET /healthz HTTP/1.1', 'Host: localhost', 'Host: evil.example'], 400],
      ['an absolute address', ['GET http://evil.example/healthz HTTP/1.1', 'Host: localhost'], 404],
      ['no HTTP', ['SSH-2.0-OpenSSH_9.9'], 400],
      [
        'two lengths',
        ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Length: 1', 'Content-Length: 2'],
        400,
      ],
      [
        'a length and chunks',
        ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Length: 4', 'Transfer-Encoding: chunked'],
        400,
      ],
      ['a negative length', ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Length: -1'], 400],
      [
        'a bare line feed in a header',
        ['GET /healthz HTTP/1.1', 'Host: localhost', 'X: a\nAuthorization: Bearer x'],
        400,
      ],
      ['a NUL', ['GET /healthz HTTP/1.1', 'Host: localhost', 'X: \0'], 400],
      ['a header of 20 kB', ['GET /healthz HTTP/1.1', 'Host: localhost', `X: ${'x'.repeat(20_000)}`], 400],
      ['CONNECT', ['CONNECT evil.example:80 HTTP/1.1', 'Host: localhost'], undefined],
    ])('a request with %s gets an error status or is disconnected', async (_what, lines, status) => {
      const { statuses } = await answerTo(...lines)
      expect(statuses).toEqual(status === undefined ? [] : [status])
      expect((await get('/healthz')).status).toBe(200)
    })

    test('a request with too many headers is rejected instead of being read in part', async () => {
      const lines = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: 1`)
      const evil = ['GET /healthz HTTP/1.1', 'Host: localhost', ...lines(150), 'Origin: https://evil.example']
      expect((await answerTo(...evil)).statuses).toEqual([431])
      const most = ['GET /healthz HTTP/1.1', 'Host: localhost', ...lines(97), 'Origin: https://evil.example']
      expect((await answerTo(...most.filter((line) => !line.startsWith('Origin')))).statuses).toEqual([200])
      expect((await answerTo(...most)).statuses).toEqual([403])
      expect((await answerTo('GET /healthz HTTP/1.1', 'Host: localhost', ...lines(3_000))).statuses).toEqual([
        400,
      ])
    })

    test('pipelined requests are answered in order', async () => {
      using raw = await rawHttp(base())
      const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      raw.write(one('/healthz') + one('/metrics') + one('/nothing') + one('/readyz'))
      expect((await raw.until('ready\n')).statuses).toEqual([200, 401, 404, 200])
    })

    test('CR and LF in a path cannot inject a response header', async () => {
      const { text, statuses } = await answerTo('GET /healthz%0d%0aX-Evil:%201 HTTP/1.1', 'Host: localhost')
      expect(statuses).toEqual([404])
      expect(text).not.toMatch(/^X-Evil/im)
    })

    test('a client that sends its headers too slowly is disconnected', async () => {
      using raw = await rawHttp(base())
      raw.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ')
      expect((await raw.closed()).statuses).toEqual([400])
    })

    test('connections over the limit of an address get status 503 or are closed; the others are served', async () => {
      const config = HTTP_CONFIG.replace(PROXIES, '').replace('http_request_s = 1', 'http_request_s = 20')
      await writeConfig(stage.server.dataDir, config)
      expect((await askForReload(stage.server.dataDir)).problems).toEqual([])
      const held = await Promise.all(Array.from({ length: 30 }, () => rawHttp(base())))
      const closed = new Set<RawConnection>()
      const ends = held.map(async (raw) => {
        const answer = await raw.closed()
        closed.add(raw)
        return answer
      })
      // Those that fetch keeps open count, too.
      await expect.poll(() => closed.size).toBeGreaterThanOrEqual(18)
      using late = await rawHttp(base())
      late.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
      const told = await late.closed()
      expect(told.statuses).toEqual([503])
      expect(told.text).toContain('your address has too many connections here; close one of them first')
      // It came after all others: those that are refused are closed by now.
      const left = held.filter((raw) => !closed.has(raw))
      for (const raw of left)
        raw.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      const statuses = (await Promise.all(ends)).flatMap((answer) => answer.statuses)
      expect(statuses).toEqual(left.map(() => 200))
      expect(statuses.length).toBeGreaterThan(0)
    })
  })

  test('a valid token is answered before a wrong token of its address, whose answer is delayed', async () => {
    await using other = await createStageHere({
      config: '[limits]\naddress_burst = 1\naddress_per_s = 1\n',
      http: true,
    })
    const made = (await other.as('bob', ['token', 'new'])).stdout.trim()
    const given = new AbortController()
    const ask = async (bearer: string): Promise<number> =>
      (await fetch(`${other.server.http}/metrics`, { headers: withBearer(bearer), signal: given.signal }))
        .status
    expect(await ask('wrong')).toBe(401)
    const wrong = ask('wrong')
    expect(await Promise.race([wrong, ask(made)])).toBe(403)
    given.abort()
    await expect(wrong).rejects.toThrow('aborted')
  })
})
