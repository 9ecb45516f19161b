import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, openArena, openTwin, type Twin } from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'
import { connectHostile, newKey, type HostileClient } from '../support/ssh2-client.ts'

const LIMITS = `
[limits]
message_chars = 20000
rate_burst = 100000
rate_per_s = 100000
connections_per_address = 200
`

let twin: Twin

beforeAll(async () => {
  twin = await openTwin()
})
afterAll(() => twin[Symbol.asyncDispose]())

const LINES = 300
const LINE = 'long '.repeat(3_000)

/** Makes a room and says more in it than the buffers of the loopback hold. */
async function prepare(stage: Stage): Promise<void> {
  const lines = Array.from({ length: LINES }, (_, number) => `${number} ${LINE}\n`).join('')
  await using session = await stage.open('writer', '-T')
  session.write(`/create pit\n/join pit\n${lines}`)
  session.close()
  expect(await session.exit).toBe(0)
}

/** Runs a command eight times, as somebody with a key of their own who reads none of it. */
async function readNothing(stage: Stage, number: number): Promise<HostileClient> {
  const client = await connectHostile(`mallory${number}`, stage.server.port, newKey())
  client.claim(2 ** 32 - 1, 32_768)
  // Some may be refused because their connection was dropped by then.
  await Promise.allSettled(Array.from({ length: 8 }, () => client.exec('history pit --json -n 1000')))
  client.stopReading()
  return client
}

/** Resolves once the server has logged this. */
async function logged({ server }: Stage, words: string): Promise<void> {
  while (!server.stderr().includes(words)) await once(server.process.stderr ?? server.process, 'data')
}

test('eighty long histories that nobody reads take little memory and stall nobody', async () => {
  let held = 0
  await using arena = await openArena({ config: LIMITS, prepare })
  const damage = await arena.damageOf(twin, async (stage) => {
    const clients = await Promise.all(Array.from({ length: 10 }, (_, number) => readNothing(stage, number)))
    await sleep(howMuch({ quick: 1_000, long: 2_000 }))
    held = clients.length
    return clients
  })
  expectUnharmed(damage, 400)
  await expectStops(arena)
  expect(held).toBe(10)
})

test('who keeps more than all queues together may hold is thrown out first', async () => {
  await using arena = await openArena({ config: `${LIMITS}queues_mb = 8\n`, prepare })
  const damage = await arena.damageOf(twin, async (stage) => {
    const clients = await Promise.all(Array.from({ length: 6 }, (_, number) => readNothing(stage, number)))
    await logged(stage, 'too much waits for all clients together')
    const patient = await stage.as('reader', ['history', 'pit', '--json', '-n', String(LINES)])
    expect(patient.stdout.split('\n').length).toBeGreaterThan(LINES)
    return clients
  })
  expectUnharmed(damage, 400)
  await expectStops(arena)
})

test('a command whose output nobody reads is ended like a session', async () => {
  await using arena = await openArena({ config: `${LIMITS}stall_s = 1\n`, prepare })
  const damage = await arena.damageOf(twin, async (stage) => {
    const client = await readNothing(stage, 0)
    await logged(stage, 'almost nothing was read for 1s (stall_s)')
    return [client]
  })
  expectUnharmed(damage, 400)
  await expectStops(arena)
})
