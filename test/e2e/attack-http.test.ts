import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { stat } from 'node:fs/promises'
import { describe, expect, test, afterAll } from 'vitest'
import { encodeTime } from 'ulid'
import {
  expectStops,
  expectWithin,
  howMuch,
  shareArena,
  type Damage,
  expectUnharmed,
  openArena,
  shareTwin,
} from '../support/attack.ts'
import { withBearer } from '../support/http-caller.ts'
import { postMcp } from '../support/mcp/http-agent.ts'
import type { Stage } from '../support/stage.ts'
import { askStored, locationOf, onPostgres } from '../support/stored.ts'
import { sse } from '../contract/model-wire/case.ts'
import { floods, startModelServer, type Script } from '../support/model-server.ts'

const twin = shareTwin()
const models = await startModelServer()
afterAll(() => models[Symbol.asyncDispose]())

const arena = shareArena(twin, { http: true })

const ATTACK_MS = howMuch({ quick: 1_500, long: 4_000 })

function expectUngrown(damage: Damage): void {
  expectUnharmed(damage)
  expect(damage.grownMb, JSON.stringify(damage)).toBeLessThan(100)
}

/** 64 KiB of requests that need no token. */
const HEALTHZ = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_500)

async function open(stage: Stage): Promise<Socket> {
  const { hostname, port } = new URL(stage.server.http)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends requests as fast as the server takes them. */
async function pipeline(stage: Stage, requests: string): Promise<Socket> {
  const socket = await open(stage)
  const send = (): void => {
    while (socket.writable && socket.write(requests));
  }
  socket.on('drain', send)
  send()
  return socket
}

const closing = (sockets: readonly Socket[]): readonly Disposable[] =>
  sockets.map((socket) => ({ [Symbol.dispose]: () => void socket.destroy() }))

test('a connection that pipelines requests without a token does not delay other users', async () => {
  let answered = 0
  const damage = await arena.damageOf(async (stage) => {
    const socket = await pipeline(stage, HEALTHZ)
    socket.on('data', (bytes: Buffer) => (answered += bytes.length))
    await sleep(ATTACK_MS)
    socket.destroy()
    return []
  })
  expectUngrown(damage)
  expect(answered).toBeGreaterThan(0)
})

test('eight pipelining connections that read no answers use less than 100 MB of memory', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => pipeline(stage, HEALTHZ)))
    for (const socket of sockets) socket.pause()
    await sleep(ATTACK_MS)
    return closing(sockets)
  })
  expectUngrown(damage)
})

test('request bodies with 60,000 keys get status 400 and do not delay other users', async () => {
  const keys = Array.from({ length: 60_000 }, (_, key) => `"${key}":1`)
  const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${keys.join(',')}}}`
  const statuses = new Set<number>()
  const damage = await arena.damageOf(async (stage) => {
    const token = (await stage.as('mallory', ['token', 'new'])).stdout.trim()
    const end = performance.now() + ATTACK_MS
    const post = async (): Promise<void> => {
      while (performance.now() < end) {
        const response = await postMcp(stage.server.http, token, body)
        statuses.add(response.status)
        await response.text()
      }
    }
    await Promise.all(Array.from({ length: 4 }, post))
    return []
  })
  expectUngrown(damage)
  expect([...statuses]).toEqual([400])
})

test('1-byte chunks and pipelined requests with a token do not delay other users', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const token = (await stage.as('mallory', ['token', 'new'])).stdout.trim()
    const head = `Host: localhost\r\nAuthorization: ${withBearer(token).authorization}\r\n`
    const chunked = `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const sockets = await Promise.all([
      ...Array.from({ length: 4 }, () => pipeline(stage, `GET /metrics HTTP/1.1\r\n${head}\r\n`.repeat(500))),
      ...Array.from({ length: 4 }, () => open(stage)),
    ])
    for (const socket of sockets) socket.resume()
    for (const socket of sockets.slice(4)) socket.write(chunked + '1\r\n[\r\n'.repeat(150_000))
    await sleep(ATTACK_MS)
    return closing(sockets)
  })
  expectUngrown(damage)
})

test('open connections of HTTP attackers do not keep the server from stopping', () => expectStops(arena))

const LIMITS = `
[limits]
rate_burst = 1000000
rate_per_s = 1000000
bytes_per_person_day = 0
`

/** Lines as people write them, and such as take long to read as Markdown. */
const TEXTS = [
  'the build is **green** again, see https://example.org/builds/42',
  '!['.repeat(990),
  '| a | b |',
  '*a '.repeat(600),
  'http://a.b '.repeat(180),
]
const COUNT = howMuch({ quick: 3_000, long: 30_000 })
/** One of so many is dear. */
const DEAR_EVERY = 20

async function fillRoom(stage: Stage): Promise<void> {
  await using session = await stage.open('writer', '-T')
  const lines = Array.from({ length: COUNT }, (_, at) =>
    at % DEAR_EVERY === 0 ? TEXTS[(at / DEAR_EVERY) % TEXTS.length]! : `${at} ${TEXTS[0]}`,
  )
  session.write(`/create pit\n/join pit\n${lines.join('\n')}\n`)
  session.close()
  expect(await session.exit).toBe(0)
}

test('HTML exports of a long log are complete and do not delay other users', async () => {
  await using arena = await openArena({ config: LIMITS, prepare: fillRoom })
  const damage = await arena.damageOf(twin(), async (stage) => {
    const pages = await Promise.all(['ann', 'bob'].map((name) => stage.as(name, ['export', 'pit', '--html'])))
    for (const { stdout, exitCode } of pages) {
      expect(exitCode).toBe(0)
      expect(stdout.match(/<article /g)).toHaveLength(COUNT)
      expect(stdout).toMatch(/<p class="dim">The end: \d+ entries\.<\/p>\n<\/main>\n<\/body>\n<\/html>\n$/)
    }
    return []
  })
  expectUnharmed(damage)
  await expectStops(arena)
}, 500_000)

const LINES = howMuch({ quick: 50_000, long: 1_000_000 })

/** Of them, lines of a hundred days ago. */
const OLD = howMuch({ quick: 40_000, long: 600_000 })

/** Makes a room in which much was said. */
async function prepare(stage: Stage): Promise<void> {
  await stage.as('holly', ['create', 'pit'])
  const ids = (days: number): string => encodeTime(Date.now() - days * 86_400_000, 10)
  await askStored(
    stage.server.dataDir,
    `INSERT INTO entries (id, room, at, kind, author, text, data)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${LINES})
     SELECT CASE WHEN n <= ${OLD} THEN '${ids(100)}' ELSE '${ids(10)}' END || printf('%016d', n), 'pit', 1, 'message',
       'holly', 'a line that was said long ago, with the number ' || n, '{}' FROM numbers`,
  )
}

const linesIn = async ({ server }: Stage): Promise<unknown> =>
  (await askStored(server.dataDir, "SELECT count(*) AS lines FROM entries WHERE room = 'pit'"))[0]?.['lines']

test('/keep deletes the old lines of a large room and shrinks the file without delaying other users', async ({
  skip,
}) => {
  skip(onPostgres, 'the file is what it is about')
  await using arena = await openArena({ prepare })
  const damage = await arena.damageOf(twin(), async (stage) => {
    const file = await locationOf(stage.server.dataDir)
    const size = async (): Promise<number> => (await stat(file)).size
    const before = await size()
    expect((await stage.as('holly', ['keep', 'pit', '30d', '--yes'])).stderr).toBe('')
    await expect.poll(() => linesIn(stage), { timeout: 120_000, interval: 500 }).toBe(LINES - OLD + 1)
    await expect.poll(size, { timeout: 120_000, interval: 500 }).toBeLessThan(before * 0.6)
    return []
  })
  expectUnharmed(damage)
  expectWithin(damage.during, Math.max(100, 3 * damage.elsewhere), JSON.stringify(damage))
  await expectStops(arena)
}, 240_000)

describe('floods of a provider', () => {
  const arena = shareArena(twin, {
    config: `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}/v1"
encoding = "r50k_base"
`,
    // Others' echo is not measured in the room in which the answers are shown.
    prepare: async (stage) => void (await stage.as('mallory', ['create', 'pit'])),
  })

  const ROUNDS = howMuch({ quick: 1, long: 5 })

  const delta = (fields: object): string => sse({ choices: [{ index: 0, delta: fields }] })

  const COMMENT = ': keep-alive\n\n'

  const call = (index: number): string =>
    delta({ tool_calls: [{ index, id: `c${index}`, function: { name: 'calculator', arguments: '{}' } }] })

  const FLOODS: readonly (readonly [string, Script, string])[] = [
    ['comments', floods(COMMENT), 'sent more than an answer may have'],
    ['empty deltas', floods(delta({ content: '' })), 'sent more than an answer may have'],
    [
      '20,000 calls',
      floods(COMMENT, Array.from({ length: 20_000 }, (_, index) => call(index)).join('')),
      'called more than 64 tools at once',
    ],
  ]

  test.each(FLOODS)(
    'a provider that floods with %s delays neither other users nor /stop',
    async (_what, flood, sentence) => {
      let stopMs = Infinity
      const damage = await arena.damageOf(async (stage) => {
        models.always(flood)
        const session = await stage.open('mallory', '-T')
        session.write('/join pit\n')
        await session.waitFor('pit')
        for (let round = 0; round < ROUNDS; round++) {
          const from = session.output().length
          session.write('@qwen go on\n')
          await session.waitFor(sentence, from)
        }
        const from = session.output().length
        const before = models.requests.length
        session.write('@qwen go on\n')
        await models.arrived(before + 1)
        const start = performance.now()
        session.write('/stop\n')
        // The flood may have ended by itself.
        await session.waitFor(new RegExp(`mallory stopped @qwen|nothing that you started|${sentence}`), from)
        stopMs = performance.now() - start
        await session[Symbol.asyncDispose]()
        return []
      })
      expectUnharmed(damage)
      expectWithin(stopMs, 1_000)
    },
  )
})
