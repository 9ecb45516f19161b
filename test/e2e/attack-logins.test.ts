import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, shareArena } from '../support/attack.ts'
import { ssh } from '../support/ssh.ts'
import type { Stage } from '../support/stage.ts'
import { connectHostile, newKey, type HostileClient } from '../support/ssh2-client.ts'

/** More than the attackers open in the first test, which is about their address, and less than in the second. */
const CONNECTIONS = 80

const arena = shareArena({ config: `[limits]\naddress_burst = 40\nconnections = ${CONNECTIONS}\n` })

/** So many handshakes in one moment are another attack (attack-strangers). */
const APART_MS = 40

/** So many connections of one name and key, which log in, open nothing, and are opened again as soon as they are closed. */
function crowd(port: number, addresses: readonly string[], connections: number): Crowd {
  const key = newKey()
  const open = new Set<HostileClient>()
  let logins = 0
  const over = new AbortController()
  const stay = async (from: string, laterMs: number): Promise<void> => {
    await sleep(laterMs)
    while (!over.signal.aborted) {
      try {
        const client = await connectHostile('mallory', port, key, from)
        if (over.signal.aborted) return client[Symbol.dispose]()
        logins++
        open.add(client)
        await client.closed
        open.delete(client)
      } catch {
        await sleep(100)
      }
    }
  }
  for (let number = 0; number < connections; number++)
    void stay(addresses[number % addresses.length] ?? '', number * APART_MS)
  return {
    logins: () => logins,
    [Symbol.dispose]() {
      over.abort()
      for (const client of open) client[Symbol.dispose]()
    },
  }
}

interface Crowd extends Disposable {
  /** So many came in until now. */
  logins(): number
}

/** What three logins of somebody else end with who come in at once from there. */
async function loginsFrom(address: string, { server, home }: Stage): Promise<readonly string[]> {
  const key = await home.key('alice')
  const one = async (): Promise<string> => {
    const options = ['-o', `BindAddress=${address}`]
    const { exitCode, stderr } = await ssh({ user: 'alice', port: server.port, key, options }, ['whoami'])
    return exitCode === 0 ? 'in' : stderr
  }
  return await Promise.all([one(), one(), one()])
}

/** What the three end with once so many of the crowd have been let in. */
async function whileCrowded(
  stage: Stage,
  {
    from,
    at,
    connections,
    logins,
  }: { from: readonly string[]; at: string; connections: number; logins: number },
): Promise<readonly string[]> {
  using many = crowd(stage.server.port, from, connections)
  await expect.poll(many.logins, { timeout: 30_000 }).toBeGreaterThanOrEqual(logins)
  return await loginsFrom(at, stage)
}

/** More than an address may have logged in (`connections_per_address`). */
const SHARED = howMuch({ quick: 40, long: 60 })

test('one key that logs in again and again and opens nothing does not keep those out who share its address', async () => {
  let results: readonly string[] = []
  const damage = await arena.damageOf(async (stage) => {
    const at = '127.2.1.1'
    results = await whileCrowded(stage, { from: [at], at, connections: SHARED, logins: 32 })
    return []
  })
  expectUnharmed(damage)
  expect(results).toEqual(['in', 'in', 'in'])
})

const ADDRESSES = Array.from({ length: 8 }, (_, number) => `127.2.2.${number + 1}`)

test('nor does it take all connections of the server', async () => {
  let results: readonly string[] = []
  const damage = await arena.damageOf(async (stage) => {
    results = await whileCrowded(stage, { from: ADDRESSES, at: '127.2.3.1', connections: 100, logins: 50 })
    return []
  })
  expectUnharmed(damage)
  expect(results).toEqual(['in', 'in', 'in'])
})

test('who attacked and is still there does not keep the server from stopping', () => expectStops(arena))
