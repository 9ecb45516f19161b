import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, test, afterEach, beforeEach, vi, describe } from 'vitest'
import type { ClientChannel } from 'ssh2'
import fc from 'fast-check'
import { forAllTests } from '../support/for-all-tests.ts'
import { createSshHome, openSsh, ssh } from '../support/ssh.ts'
import { connectHostile, type HostileClient } from '../support/ssh2-client.ts'
import { handlerWith, startSshServer, type SshFixture } from '../support/ssh-server.ts'
import { outOfOrder } from '../support/raw-handshake.ts'
import { runs } from '../support/runs.ts'

const home = await forAllTests(createSshHome())

/** Commands that stay until their input ends, or, for `deaf`, until their client is gone, unread. */
const staying = handlerWith({
  async exec(_person, line, pipe) {
    await pipe.out('up')
    if (line === 'deaf') await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
    else for await (const _bytes of pipe.stdin);
    return 0
  },
})

test('a channel over the limit is refused until another one is closed', async () => {
  await using server = await startSshServer(staying, { channels_per_connection: 2 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  const first = await client.exec('stay')
  await client.exec('stay')
  await expect(client.exec('stay')).rejects.toThrow('open failure')
  first.end()
  await new Promise((resolve) => first.once('close', resolve))
  await expect(client.exec('stay')).resolves.toBeDefined()
})

test('a client that sends more than its channel window is disconnected, and the server stays up', async () => {
  await using server = await startSshServer(staying)
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  client.overrun(await client.exec('deaf'), 4 * 1024 * 1024)
  await client.closed
  expect(server.logged).toContainEqual({
    text: 'connection dropped',
    facts: expect.objectContaining({ why: 'sent more than the channel window' }),
  })
  const result = await ssh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['x'])
  expect(result).toMatchObject({ stdout: 'up', exitCode: 0 })
})

test('a connection is closed after idle_connection_s, but not while it has a channel', async () => {
  await using server = await startSshServer(staying, { idle_connection_s: 1 })
  using busy = await connectHostile('alice', server.port, await home.key('alice'))
  const channel = await busy.exec('stay')
  using silent = await connectHostile('bob', server.port, await home.key('bob'))
  await silent.closed
  channel.end()
  await busy.closed
  const whys = server.logged.filter(({ text }) => text === 'connection dropped').map(({ facts }) => facts)
  expect(whys).toEqual([
    expect.objectContaining({ why: 'nothing ran on it' }),
    expect.objectContaining({ why: 'nothing ran on it' }),
  ])
})

test('the limits of one person apply to all names of one key together', async () => {
  await using server = await startSshServer(staying, { exec_per_person: 1, exec_per_address: 2 })
  const [alice, carol] = [await home.key('alice'), await home.key('carol')]
  await using first = openSsh({ user: 'alice', port: server.port, key: alice }, ['stay'])
  await first.waitFor('up')
  const other = await ssh({ user: 'bob', port: server.port, key: alice }, ['x'])
  expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('Too many commands at once')])
  await using second = openSsh({ user: 'carol', port: server.port, key: carol }, ['stay'])
  await second.waitFor('up')
  const third = await ssh({ user: 'dave', port: server.port, key: await home.key('dave') }, ['x'])
  expect(third.stderr).toContain('Too many commands at once')
})

test('a command whose output is not read is disconnected after stall_s', async () => {
  const endless = handlerWith({
    async exec(_person, _line, pipe) {
      while (!pipe.signal.aborted) await pipe.out('x'.repeat(100_000))
      return 0
    },
  })
  await using server = await startSshServer(endless, { stall_s: 1 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  client.claim(100_000, 32_768)
  await client.exec('x')
  client.stopReading()
  while (
    !server.logged.some(
      ({ facts }) => 'why' in facts && facts.why === 'almost nothing was read for 1s (stall_s)',
    )
  )
    await sleep(20)
  client.readAgain()
  await client.closed
  // A client that only keeps its window closed still reads that it is disconnected, and why.
  await using paused = openSsh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])
  paused.child.stdout.pause()
  await paused.waitForError(': almost nothing was read for 1s (stall_s)')
  expect(await paused.exit).toBe(255)
  expect(server.logged).toContainEqual({
    text: 'connection dropped',
    facts: expect.objectContaining({ person: 'bob', why: 'almost nothing was read for 1s (stall_s)' }),
  })
})

const LINES = Array.from({ length: 400 }, (_, number) => `line ${number}\n`)

/** Writes lines, each of them to both streams. */
const chatty = handlerWith({
  async exec(_person, _line, pipe) {
    for (const line of LINES) await Promise.all([pipe.out(line), pipe.err(line)])
    return 7
  },
})

/** Collects both streams of a command until it ends. `open` is called all the time and opens the window, closed at first. */
async function collect(client: HostileClient, open: (channel: ClientChannel) => void) {
  client.claim(0, 1_024)
  const channel = await client.exec('x')
  const got = { out: '', err: '', status: -1 }
  channel.on('data', (bytes: Buffer) => (got.out += String(bytes)))
  channel.stderr.on('data', (bytes: Buffer) => (got.err += String(bytes)))
  channel.on('exit', (status: number) => (got.status = status))
  const timer = setInterval(() => open(channel), 1)
  await new Promise((resolve) => channel.once('close', resolve))
  clearInterval(timer)
  return got
}

const ALL = { out: LINES.join(''), err: LINES.join(''), status: 7 }

test('a client that opens its window in small steps gets both streams complete and in order', async () => {
  await using server = await startSshServer(chatty, { queue_bytes: 100 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  expect(await collect(client, (channel) => client.adjust(channel, 77))).toEqual(ALL)
})

test('a key exchange during a command loses no output', async () => {
  await using server = await startSshServer(chatty, { queue_bytes: 100 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  let rekeys = 0
  const got = await collect(client, (channel) => {
    client.adjust(channel, 100)
    if (rekeys++ < 4) client.rekey()
  })
  expect(got).toEqual(ALL)
})

/** Sends bytes and waits until the server hangs up. */
async function sendUntilClosed(port: number, bytes: Uint8Array): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined).resume()
  socket.end(bytes)
  await once(socket, 'close')
}

test('random bytes before the login do not crash the server', async () => {
  await using server = await startSshServer(handlerWith({}), {
    login_timeout_s: 1,
    unauthenticated_per_address: 200,
    address_burst: 10_000,
  })
  const version = fc.constantFrom('', 'SSH-2.0-x\r\n', 'SSH-1.0-x\r\n', `SSH-2.0-${'x'.repeat(300)}\r\n`)
  // A packet's length and padding length that are about right, then anything: parsing goes further than with noise.
  const packet = fc
    .tuple(
      fc.integer({ min: 12, max: 200 }),
      fc.integer({ min: 0, max: 255 }),
      fc.uint8Array({ maxLength: 220 }),
    )
    .map(([length, padding, rest]) =>
      Buffer.concat([Buffer.of(0, 0, length >> 8, length & 255, padding), rest]),
    )
  await fc.assert(
    fc.asyncProperty(version, fc.array(packet, { maxLength: 3 }), (line, packets) =>
      sendUntilClosed(server.port, Buffer.concat([Buffer.from(line), ...packets])),
    ),
    { numRuns: runs(150) },
  )
  const result = await ssh({ user: 'a', port: server.port, key: await home.key('alice') }, ['x'])
  expect(result.exitCode).toBe(0)
})

/** Every message that SSH has given a meaning to (RFC 4250, 4.1.2), and some of those that it has not. */
const messages = [...Array(128).keys(), 128, 160, 191, 192, 224, 255]

test('malformed SSH messages after the login do not crash the server', async () => {
  await using server = await startSshServer(handlerWith({}), {
    connections_per_person: 64,
    address_burst: 10_000,
  })
  const key = await home.key('alice')
  for (const message of messages) {
    using client = await connectHostile('alice', server.port, key)
    client.send(Buffer.of(message))
    client.send(Buffer.concat([Buffer.of(message), Buffer.alloc(64, message)]))
    client.send(Buffer.concat([Buffer.of(message), Buffer.alloc(64, 0)]))
  }
  const result = await ssh({ user: 'a', port: server.port, key }, ['x'])
  expect(result.exitCode).toBe(0)
})

describe('a keepalive', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  /** ssh2 sends a keepalive each 15 s, and nothing else here uses an interval. */
  const passKeepalive = (): void => void vi.advanceTimersByTime(15_000)

  /** SSH_MSG_CHANNEL_DATA without a channel, after which ssh2 throws at all that is sent. */
  const MALFORMED = Buffer.of(94)

  const drops = ({ logged }: SshFixture): number =>
    logged.filter(({ text }) => text === 'connection dropped').length

  test('a client that answers no keepalive is disconnected after 45 s', async () => {
    await using server = await startSshServer(handlerWith({}))
    using client = await connectHostile('alice', server.port, await home.key('alice'))
    client.stopReading()
    passKeepalive()
    passKeepalive()
    expect(drops(server)).toBe(0)
    passKeepalive()
    expect(drops(server)).toBe(1)
  })

  test('a client that answers again after a lost keepalive stays connected', async () => {
    await using server = await startSshServer(handlerWith({}))
    using client = await connectHostile('alice', server.port, await home.key('alice'))
    for (let round = 0; round < 3; round++) {
      client.stopReading()
      passKeepalive()
      passKeepalive()
      client.readAgain()
      await client.run('x')
    }
    expect(drops(server)).toBe(0)
  })

  test('a disconnected client that does not close its socket gets no keepalive', async () => {
    await using server = await startSshServer(handlerWith({}))
    using client = await connectHostile('alice', server.port, await home.key('alice'))
    client.stopReading()
    client.send(MALFORMED)
    await vi.waitUntil(() => drops(server) === 1)
    expect(passKeepalive).not.toThrow()
  })
})

describe('a client that is disconnected', () => {
  /** A connection that says nothing by itself, and keeps what it hears. */
  function open(port: number): { readonly socket: Socket; readonly heard: () => string } {
    let heard = ''
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    socket.on('error', () => undefined).on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')))
    return { socket, heard: () => heard }
  }

  /** The server may close it while it still sends, which is an error of its own. */
  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => socket.once('close', () => resolve()))

  const whysOf = ({ logged }: SshFixture): readonly unknown[] =>
    logged.map(({ facts }) => ('why' in facts ? facts.why : facts))

  test('the log names the missing cipher of a client without a common one', async () => {
    await using server = await startSshServer(handlerWith({}))
    const key = await home.key('alice')
    const options = ['-o', 'Ciphers=aes128-cbc']
    const { stderr } = await ssh({ user: 'a', port: server.port, key, options }, ['x'])
    expect(stderr).toContain('no matching cipher found')
    expect(whysOf(server)).toEqual([expect.stringContaining('no matching C->S cipher')])
  })

  test.each(outOfOrder)(
    'a client that sends %s is disconnected with one plain sentence',
    async (_, bytes) => {
      await using server = await startSshServer(handlerWith({}))
      const { socket } = open(server.port)
      socket.write(bytes)
      await closed(socket)
      expect(whysOf(server)).toEqual(['the client sent a packet that is out of order or incomplete'])
    },
  )

  test('an SSH version line is accepted in any number of pieces', async () => {
    await using server = await startSshServer(handlerWith({}))
    const { socket, heard } = open(server.port)
    await once(socket, 'data')
    for (const piece of ['S', 'SH-2', '.0-', 'x\r']) await new Promise((sent) => socket.write(piece, sent))
    socket.write('\n')
    while (!heard().includes('curve25519-sha256')) await once(socket, 'data')
    socket.destroy()
    expect(whysOf(server)).toEqual([])
  })

  test('a client that exchanges keys too often reads the reason in OpenSSH', async () => {
    await using server = await startSshServer(
      handlerWith({
        async exec(_person, _line, pipe) {
          for await (const bytes of pipe.stdin) await pipe.out(`${bytes.length}\n`)
          return 0
        },
      }),
    )
    const options = ['-o', 'RekeyLimit=16']
    await using client = openSsh(
      { user: 'alice', port: server.port, key: await home.key('alice'), options },
      ['x'],
    )
    const typing = setInterval(() => client.write('x'.repeat(100)), 5)
    expect(await client.exit).toBe(255)
    clearInterval(typing)
    expect(client.errors()).toMatch(
      /Received disconnect .*Keys were exchanged too often: 8 times .*RekeyLimit/,
    )
  })

  /** Commands that stay until their client is gone. */
  const staying = handlerWith({
    async exec(_person, _line, pipe) {
      await pipe.out('in')
      await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
      return 0
    },
  })

  describe('a client that is rejected because of other connections', () => {
    test('a client reads the reason in OpenSSH if the server is full', async () => {
      await using server = await startSshServer(staying, { connections: 1 })
      await using only = openSsh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['x'])
      await only.waitFor('in')
      const bob = await ssh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])
      expect(bob).toMatchObject({ exitCode: 255, stdout: '' })
      expect(bob.stderr).toContain('Too many connections: the server is full. Try again in a few minutes')
    })

    test('an evicted client reads that too many connections wait for their login', async () => {
      await using server = await startSshServer(staying, {
        connections_per_address: 1,
        unauthenticated_per_address: 1,
        address_burst: 4,
        address_per_s: 1,
      })
      const all = Array.from({ length: 12 }, () => open(server.port))
      const first = all.slice(0, 4)
      await Promise.all(first.map(({ socket }) => closed(socket)))
      for (const { heard } of first)
        expect(heard()).toContain('Too many connections wait for their login here')
      for (const { socket } of all) socket.destroy()
    })
  })

  test("a disconnected client's socket is closed even if the client only sends and does not read", async () => {
    await using server = await startSshServer(staying, { login_timeout_s: 0.2 })
    const { socket } = open(server.port)
    // It neither reads nor hangs up, and goes on to send.
    socket.pause()
    const sending = setInterval(() => socket.write('x'.repeat(10_000)), 5)
    await closed(socket)
    clearInterval(sending)
    using client = await connectHostile('alice', server.port, await home.key('alice'))
    client.send(Buffer.of(99))
    client.send(Buffer.of(20, 1, 2, 3))
    await client.closed
    expect(server.logged.map(({ text }) => text)).toEqual([
      'connection dropped',
      'login',
      'connection dropped',
    ])
  })
})
