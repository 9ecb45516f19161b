import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectStops, howMuch, shareArena, type Damage } from '../support/attack.ts'
import { withBearer } from '../support/http-caller.ts'
import { postMcp } from '../support/mcp/http-agent.ts'
import type { Stage } from '../support/stage.ts'

const arena = shareArena({ http: true })

const ATTACK_MS = howMuch({ quick: 1_500, long: 4_000 })

function expectUnharmed(damage: Damage): void {
  const usual = Math.max(damage.quiet, damage.elsewhere)
  expect(damage.during, JSON.stringify(damage)).toBeLessThan(Math.max(250, 3 * usual))
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

test('a connection that pipelines requests without a token stalls nobody', async () => {
  let answered = 0
  const damage = await arena.damageOf(async (stage) => {
    const socket = await pipeline(stage, HEALTHZ)
    socket.on('data', (bytes: Buffer) => (answered += bytes.length))
    await sleep(ATTACK_MS)
    socket.destroy()
    return []
  })
  expectUnharmed(damage)
  expect(answered).toBeGreaterThan(0)
})

test('eight connections that pipeline requests and read no answers take little memory', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => pipeline(stage, HEALTHZ)))
    for (const socket of sockets) socket.pause()
    await sleep(ATTACK_MS)
    return closing(sockets)
  })
  expectUnharmed(damage)
})

test('bodies with 60,000 keys are refused and stall nobody', async () => {
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
  expectUnharmed(damage)
  expect([...statuses]).toEqual([400])
})

test('bodies of tiny chunks, and requests of a token as fast as they are answered, stall nobody', async () => {
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
  expectUnharmed(damage)
})

test('whoever attacked over HTTP and is still there does not keep the server from stopping', () =>
  expectStops(arena))
