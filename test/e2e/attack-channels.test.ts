import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, shareArena } from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'
import { connectHostile, newKey, type HostileClient } from '../support/ssh2-client.ts'

/** What makes the limits of pace and connections no cure for what these tests are about. */
const FAST = `
[limits]
rate_burst = 100000
rate_per_s = 100000
address_burst = 10000
connections_per_address = 200
connections_per_person = 50
exec_per_person = 100
exec_per_address = 1000
channels_per_connection = 100
`

const arena = shareArena({ config: FAST, prepare: sayMuch })

/** So much that `history` fills no packet and no small window in one go. */
async function sayMuch(stage: Stage): Promise<void> {
  for (let line = 0; line < 10; line++)
    await stage.as('writer', ['say', 'lobby', `${line} ${'x'.repeat(3_000)}`])
}

const ATTACK_MS = howMuch({ quick: 1_000, long: 2_000 })

const attacker = (stage: Stage): Promise<HostileClient> =>
  connectHostile('mallory', stage.server.port, newKey())

const VALUES = [0, 1, 1_023, 1_024, 2 ** 32 - 1]
const TINY = Array.from({ length: 65 }, (_, bytes) => bytes)

test('no window and no packet size of a channel makes the server loop', async () => {
  const answers: string[] = []
  const damage = await arena.damageOf(async (stage) => {
    const clients: HostileClient[] = []
    for (const packetSize of VALUES) {
      const client = await attacker(stage)
      clients.push(client)
      for (const window of VALUES) {
        client.claim(window, packetSize)
        for (const open of [() => client.exec('history lobby -n 1000'), () => client.shell(1_000)]) {
          const channel = await open().catch((error: Error) => error)
          answers.push(`${packetSize}: ${channel instanceof Error ? 'refused' : 'taken'}`)
          if (channel instanceof Error) continue
          // A window that grows past its maximum ends the connection; `greedy` does that.
          if (window === 2 ** 32 - 1) continue
          for (let bytes = 0; bytes < 50; bytes++) client.adjust(channel, 1)
        }
      }
    }
    const greedy = await attacker(stage)
    greedy.adjust(await greedy.shell(), 2 ** 32 - 1)
    await greedy.closed
    return clients
  })
  expectUnharmed(damage)
  expect([...new Set(answers)]).toEqual([
    '0: refused',
    '1: refused',
    '1023: refused',
    '1024: taken',
    `${2 ** 32 - 1}: taken`,
  ])
})

/** Text as SSH writes it. */
function text(words: string): Buffer {
  const bytes = Buffer.from(words)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A request on the first channel (RFC 4254, 5.4), with an answer wanted. */
const request = (type: string, ...rest: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.of(98, 0, 0, 0, 0), text(type), Buffer.of(1), ...rest])

/** Messages that are cheap to send: to be ignored, for debugging, requests of the connection, of the channel, new channels. */
const FLOODS = [
  Buffer.concat([Buffer.of(2), text('')]),
  Buffer.concat([Buffer.of(4, 1), text('x'), text('')]),
  Buffer.concat([Buffer.of(80), text('keepalive@openssh.com'), Buffer.of(1)]),
  request('window-change', Buffer.alloc(16, 1)),
  request('pty-req', text('xterm'), Buffer.alloc(16, 1), text('')),
  request('env', text('SSHAWL_X'), text('y'.repeat(200))),
  request('signal', text('INT')),
  Buffer.concat([Buffer.of(90), text('session'), Buffer.alloc(4, 9), Buffer.alloc(8, 1)]),
]

/** How long each of the floods lasts. */
const FLOOD_MS = howMuch({ quick: 300, long: 500 })

test('no packet size from 0 to 64 bytes is taken, whatever the window, and a window of 0 is no way to loop', async () => {
  let refused = 0
  let read = ''
  const damage = await arena.damageOf(async (stage) => {
    const client = await attacker(stage)
    for (const packetSize of TINY)
      for (const window of [0, 1, 2 ** 32 - 1]) {
        client.claim(window, packetSize)
        await expect(client.exec('history lobby -n 1000')).rejects.toThrow('open failure')
        refused++
      }
    // The same output through the smallest packets that are taken, a byte at a time, and then all of it.
    client.claim(0, 1_024)
    const channel = await client.exec('history lobby -n 1000')
    channel.on('data', (bytes: Buffer) => (read += String(bytes)))
    const ended = new Promise((resolve) => channel.once('close', resolve))
    for (let bytes = 0; bytes < 1_000; bytes++) client.adjust(channel, 1)
    client.adjust(channel, 10_000_000)
    await ended
    return [client]
  })
  expectUnharmed(damage)
  expect(refused).toBe(3 * TINY.length)
  expect(read.match(/\d x{3000}/g)).toHaveLength(10)
})

test('floods of small messages stall nobody', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const client = await attacker(stage)
    await client.shell()
    for (const message of FLOODS) {
      const end = performance.now() + FLOOD_MS
      while (performance.now() < end) {
        for (let sent = 0; sent < 500; sent++) client.send(message)
        await sleep(5)
      }
    }
    return [client]
  })
  expectUnharmed(damage)
})

test('commands that begin and end as fast as they can stall nobody', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const client = await attacker(stage)
    const end = performance.now() + ATTACK_MS
    const churn = async (): Promise<void> => {
      while (performance.now() < end) await client.run('nothing')
    }
    await Promise.all(Array.from({ length: 10 }, churn))
    return [client]
  })
  expectUnharmed(damage)
})

test('who exchanges keys all the time is thrown out', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const client = await attacker(stage)
    const timer = setInterval(() => client.rekey(), 5)
    await client.closed
    clearInterval(timer)
    return []
  })
  expectUnharmed(damage)
})

test('who attacked and is still there does not keep the server from stopping', () => expectStops(arena))
