import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, shareArena } from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'
import { ssh } from '../support/ssh.ts'
import { connectHostile, newKey } from '../support/ssh2-client.ts'

const arena = shareArena()

/** Half-open connections from an address: each says who it is and no more, and is opened again so soon after it is closed, in ms. */
function crowd(port: number, addresses: readonly string[], connections: number, pauseMs = 100): Disposable {
  const open = new Set<Socket>()
  let isOver = false
  const enter = (from: string): void => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    open.add(socket)
    socket.write('SSH-2.0-x\r\n')
    socket.on('error', () => undefined).resume()
    socket.once('close', () => {
      open.delete(socket)
      if (!isOver) setTimeout(() => isOver || enter(from), pauseMs)
    })
  }
  for (let number = 0; number < connections; number++) enter(addresses[number % addresses.length] ?? '')
  return {
    [Symbol.dispose]() {
      isOver = true
      for (const socket of open) socket.destroy()
    },
  }
}

/** The ms that the slowest of five logins takes, up to its first command. */
async function slowestLogin({ server, home }: Stage): Promise<number> {
  const times: number[] = []
  for (let login = 0; login < 5; login++) {
    const start = performance.now()
    using client = await connectHostile('alice', server.port, await home.key('alice'))
    await client.exec('whoami')
    times.push(performance.now() - start)
  }
  return Math.max(...times)
}

test('connections that fail slow their own address down, and no other', async () => {
  const times = { same: 0, other: 0 }
  const damage = await arena.damageOf(async (stage) => {
    const { port } = stage.server
    const many = crowd(port, ['127.1.9.1'], 20)
    await sleep(500)
    many[Symbol.dispose]()
    await sleep(200)
    for (const [which, from] of [['other', '127.1.10.1'] as const, ['same', '127.1.9.1'] as const]) {
      const start = performance.now()
      using client = await connectHostile('alice', port, await stage.home.key('alice'), from)
      await client.exec('whoami')
      times[which] = performance.now() - start
    }
    return []
  })
  expectUnharmed(damage)
  expect(times.other).toBeLessThan(1_000)
  expect(times.same).toBeGreaterThan(1_000)
  expect(times.same).toBeLessThan(7_000)
})

/** More than an address may make at once (`address_burst`). */
const LOGINS = howMuch({ quick: 52, long: 100 })

test('many logins in a row, from one address, stall nobody and are slowed down', async () => {
  let ms = 0
  const damage = await arena.damageOf(async (stage) => {
    const key = newKey()
    const start = performance.now()
    const one = async (): Promise<void> => {
      for (let login = 0; login < LOGINS / 4; login++) {
        using _client = await connectHostile('mallory', stage.server.port, key, '127.1.11.1')
      }
    }
    await Promise.all(Array.from({ length: 4 }, one))
    ms = performance.now() - start
    return []
  })
  expectUnharmed(damage)
  expect(ms).toBeGreaterThan(1_500)
})

/** More than an address may have logged in (`connections_per_address`). */
const SHARED = howMuch({ quick: 60, long: 200 })

test('who shares an address with half-open connections that are opened again and again comes in, at each attempt', async () => {
  const results: string[] = []
  const damage = await arena.damageOf(async (stage) => {
    const { port } = stage.server
    const many = crowd(port, ['127.1.12.1'], SHARED, 20)
    await sleep(500)
    const key = await stage.home.key('alice')
    const one = async (): Promise<void> => {
      const options = ['-o', 'BindAddress=127.1.12.1']
      const { exitCode, stderr } = await ssh({ user: 'alice', port, key, options }, ['whoami'])
      results.push(exitCode === 0 ? 'in' : stderr)
    }
    await Promise.all([one(), one(), one()])
    many[Symbol.dispose]()
    return []
  })
  expectUnharmed(damage)
  expect(results).toEqual(['in', 'in', 'in'])
})

/** Addresses of the loopback, each in a network of its own. */
const ADDRESSES = Array.from({ length: 200 }, (_, number) => `127.0.${number + 1}.1`)

test('five hundred half-open connections from two hundred addresses keep nobody out', async () => {
  let usual = 0
  let slowest = 0
  const damage = await arena.damageOf(async (stage) => {
    usual = await slowestLogin(stage)
    const many = crowd(stage.server.port, ADDRESSES, 500)
    await sleep(500)
    slowest = await slowestLogin(stage)
    return [many]
  })
  expectUnharmed(damage)
  expect(slowest).toBeLessThan(Math.max(1_000, 4 * usual))
})

test('who attacked and is still there does not keep the server from stopping', () => expectStops(arena))
