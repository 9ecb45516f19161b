import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSshHome, openSsh, ssh } from '../support/ssh.ts'
import type { SshHome } from '../support/ssh.ts'
import type { ClientChannel } from 'ssh2'
import { connectHostile, type HostileClient } from '../support/ssh2-client.ts'
import { handlerWith, startSshServer } from '../support/ssh-server.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Commands that stay until their input ends, or, for `deaf`, until their client is gone, unread. */
const staying = handlerWith({
  async exec(_person, line, pipe) {
    await pipe.out('up')
    if (line === 'deaf') await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
    else for await (const _bytes of pipe.stdin);
    return 0
  },
})

test('a channel beyond the limit is refused, and a closed one makes room', async () => {
  await using server = await startSshServer(staying, { channels_per_connection: 2 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  const first = await client.exec('stay')
  await client.exec('stay')
  await expect(client.exec('stay')).rejects.toThrow('open failure')
  first.end()
  await new Promise((resolve) => first.once('close', resolve))
  await expect(client.exec('stay')).resolves.toBeDefined()
})

test('a peer that sends more than its window is disconnected, and the server stays up', async () => {
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

test('a connection on which nothing is open is closed after a while, and one with a channel is not', async () => {
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

test('a key has the limits of one person, whatever names it uses', async () => {
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

test('a command whose output is not read is ended with its connection', async () => {
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

test('a client that opens its window a little at a time gets everything once, in order, on both streams', async () => {
  await using server = await startSshServer(chatty, { queue_bytes: 100 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  expect(await collect(client, (channel) => client.adjust(channel, 77))).toEqual(ALL)
})

test('an exchange of keys in the middle of a command loses nothing', async () => {
  await using server = await startSshServer(chatty, { queue_bytes: 100 })
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  let rekeys = 0
  const got = await collect(client, (channel) => {
    client.adjust(channel, 100)
    if (rekeys++ < 4) client.rekey()
  })
  expect(got).toEqual(ALL)
})
