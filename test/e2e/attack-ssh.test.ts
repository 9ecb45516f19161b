import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { ClientChannel } from 'ssh2'
import {
  expectStops,
  expectUnharmed,
  expectWithin,
  howMuch,
  shareArena,
  openArena,
  shareTwin,
} from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'
import { connectHostile, newKey, type HostileClient } from '../support/ssh2-client.ts'
import { ssh } from '../support/ssh.ts'

const twin = shareTwin()

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

const arena = shareArena(twin, { config: FAST, prepare: sayMuch })

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

test('packet sizes below 1,024 bytes are refused, and no channel window makes the server loop', async () => {
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

test('packet sizes up to 64 bytes are refused, and a window that grows by bytes gets all output', async () => {
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

test('floods of small SSH messages do not delay other users', async () => {
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

test('commands that start and end in a fast loop do not delay other users', async () => {
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

test('a client that exchanges keys continuously is disconnected', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const client = await attacker(stage)
    const timer = setInterval(() => client.rekey(), 5)
    await client.closed
    clearInterval(timer)
    return []
  })
  expectUnharmed(damage)
})

test('clients that attacked with channels and messages do not keep the server from stopping', () =>
  expectStops(arena))

describe('many logins', () => {
  /** More than the attackers open in the first test, which is about their address, and less than in the second. */
  const CONNECTIONS = 80

  const arena = shareArena(twin, { config: `[limits]\naddress_burst = 40\nconnections = ${CONNECTIONS}\n` })

  /** So many handshakes in one moment are another attack (see below). */
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

  test('one key with many idle logins does not block other people at its address', async () => {
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

  test("one key with idle logins from eight addresses does not use up the server's connections", async () => {
    let results: readonly string[] = []
    const damage = await arena.damageOf(async (stage) => {
      results = await whileCrowded(stage, { from: ADDRESSES, at: '127.2.3.1', connections: 100, logins: 50 })
      return []
    })
    expectUnharmed(damage)
    expect(results).toEqual(['in', 'in', 'in'])
  })

  test('clients that attacked with many logins do not keep the server from stopping', () =>
    expectStops(arena))
})

describe('connections that do not log in', () => {
  const arena = shareArena(twin)

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

  test('unfinished logins slow down later logins from their own address, and from no other', async () => {
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
    expectWithin(times.other, 1_000)
    expect(times.same).toBeGreaterThan(1_000)
    expectWithin(times.same, 7_000)
  })

  /** More than an address may make at once (`address_burst`). */
  const LOGINS = howMuch({ quick: 52, long: 100 })

  test('many logins in a row from one address are slowed down and do not delay other users', async () => {
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

  test('a person can log in from an address that many half-open connections share', async () => {
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

  test('five hundred half-open connections from two hundred addresses do not block logins', async () => {
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
    expectWithin(slowest, Math.max(1_000, 4 * usual))
  })

  test('clients that attacked with half-open connections do not keep the server from stopping', () =>
    expectStops(arena))
})

describe('keys and window resizes', () => {
  const arena = shareArena(twin)

  /** Somebody with a terminal so wide, whose session has begun. */
  async function terminal(stage: Stage, columns: number) {
    const client = await connectHostile('mallory', stage.server.port, newKey())
    const channel = await client.shell(columns)
    await once(channel, 'data')
    return { client, channel }
  }

  const ATTACK_MS = howMuch({ quick: 1_000, long: 3_000 })
  /** The same density of keys and window changes, for a longer or a shorter time. */
  const SHARE = ATTACK_MS / 3_000

  /** Does something again and again, so often in all, spread over the time of the attack. */
  async function spread(times: number, act: () => void): Promise<void> {
    const start = performance.now()
    for (let done = 0; done < times;) {
      const due = Math.min(times, ((performance.now() - start) / ATTACK_MS) * times)
      for (; done < due; done++) act()
      await sleep(5)
    }
  }

  const write = (channel: ClientChannel, text: string): Promise<void> =>
    new Promise((resolve) => channel.write(text, () => resolve()))

  test('hundreds of window resizes with a draft of 48,000 characters do not delay other users', async () => {
    const damage = await arena.damageOf(async (stage) => {
      const { client, channel } = await terminal(stage, 200)
      await write(channel, `\u001b[200~${'🙂'.repeat(24_000)}\u001b[201~`)
      for (let change = 0; change < 2_000 * SHARE; change++) channel.setWindow(24, 100 + (change % 100), 0, 0)
      await sleep(ATTACK_MS)
      return [client]
    })
    expectUnharmed(damage)
  })

  test('tens of thousands of keys in a terminal of 1,000 columns do not delay other users', async () => {
    const damage = await arena.damageOf(async (stage) => {
      const { client, channel } = await terminal(stage, 1_000)
      await spread(60_000 * SHARE, () => channel.write('k'))
      return [client]
    })
    expectUnharmed(damage)
  })

  test('tens of thousands of TABs after a command do not delay other users', async () => {
    const damage = await arena.damageOf(async (stage) => {
      const { client, channel } = await terminal(stage, 80)
      await write(channel, '/run ')
      await spread(1_000 * SHARE, () => channel.write('\t'.repeat(100)))
      return [client]
    })
    expectUnharmed(damage)
  })

  test('clients that attacked with keys and window changes do not keep the server from stopping', () =>
    expectStops(arena))
})

const LIMITS = `
[limits]
message_chars = 20000
rate_burst = 100000
rate_per_s = 100000
connections_per_address = 200
`

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

test('eighty unread long histories keep the server below 400 MB and do not delay other users', async () => {
  let held = 0
  await using arena = await openArena({ config: LIMITS, prepare })
  const damage = await arena.damageOf(twin(), async (stage) => {
    const clients = await Promise.all(Array.from({ length: 10 }, (_, number) => readNothing(stage, number)))
    await sleep(howMuch({ quick: 1_000, long: 2_000 }))
    held = clients.length
    return clients
  })
  expectUnharmed(damage, 400)
  await expectStops(arena)
  expect(held).toBe(10)
})

test('clients that do not read are disconnected when all queues together exceed queues_mb', async () => {
  await using arena = await openArena({ config: `${LIMITS}queues_mb = 8\n`, prepare })
  const damage = await arena.damageOf(twin(), async (stage) => {
    const clients = await Promise.all(Array.from({ length: 6 }, (_, number) => readNothing(stage, number)))
    await logged(stage, 'too much waits for all clients together')
    const patient = await stage.as('reader', ['history', 'pit', '--json', '-n', String(LINES)])
    expect(patient.stdout.split('\n').length).toBeGreaterThan(LINES)
    return clients
  })
  expectUnharmed(damage, 400)
  await expectStops(arena)
})

test('a command whose output is not read for stall_s is disconnected', async () => {
  await using arena = await openArena({ config: `${LIMITS}stall_s = 1\n`, prepare })
  const damage = await arena.damageOf(twin(), async (stage) => {
    const client = await readNothing(stage, 0)
    await logged(stage, 'almost nothing was read for 1s (stall_s)')
    return [client]
  })
  expectUnharmed(damage, 400)
  await expectStops(arena)
})
