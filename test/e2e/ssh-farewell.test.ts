import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSshHome, openSsh, ssh, type SshHome } from '../support/ssh.ts'
import { handlerWith, startSshServer, type SshFixture } from '../support/ssh-server.ts'
import { connectHostile } from '../support/ssh2-client.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

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

test('a client that has no cipher of ours is named as that in the log', async () => {
  await using server = await startSshServer(handlerWith({}))
  const key = await home.key('alice')
  const options = ['-o', 'Ciphers=aes128-cbc']
  const { stderr } = await ssh({ user: 'a', port: server.port, key, options }, ['x'])
  expect(stderr).toContain('no matching cipher found')
  expect(whysOf(server)).toEqual([expect.stringContaining('no matching C->S cipher')])
})

test('a version is understood in however many pieces it comes', async () => {
  await using server = await startSshServer(handlerWith({}))
  const { socket, heard } = open(server.port)
  await once(socket, 'data')
  for (const piece of ['S', 'SH-2', '.0-', 'x\r']) await new Promise((sent) => socket.write(piece, sent))
  socket.write('\n')
  while (!heard().includes('curve25519-sha256')) await once(socket, 'data')
  socket.destroy()
  expect(whysOf(server)).toEqual([])
})

test('who exchanges keys too often reads so in OpenSSH, and what to do', async () => {
  await using server = await startSshServer(
    handlerWith({
      async exec(_person, _line, pipe) {
        for await (const bytes of pipe.stdin) await pipe.out(`${bytes.length}\n`)
        return 0
      },
    }),
  )
  const options = ['-o', 'RekeyLimit=16']
  await using client = openSsh({ user: 'alice', port: server.port, key: await home.key('alice'), options }, [
    'x',
  ])
  const typing = setInterval(() => client.write('x'.repeat(100)), 5)
  expect(await client.exit).toBe(255)
  clearInterval(typing)
  expect(client.errors()).toMatch(/Received disconnect .*Keys were exchanged too often: 8 times .*RekeyLimit/)
})

/** Commands that stay until their client is gone. */
const staying = handlerWith({
  async exec(_person, _line, pipe) {
    await pipe.out('in')
    await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
    return 0
  },
})

describe('who is not let in because of others reads why in OpenSSH, and what to do', () => {
  test('where the server is full', async () => {
    await using server = await startSshServer(staying, { connections: 1 })
    await using only = openSsh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['x'])
    await only.waitFor('in')
    const bob = await ssh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])
    expect(bob).toMatchObject({ exitCode: 255, stdout: '' })
    expect(bob.stderr).toContain('Too many connections: the server is full. Try again in a few minutes')
  })

  test('where their address has all its connections', async () => {
    await using server = await startSshServer(staying, { connections_per_address: 1 })
    await using only = openSsh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['x'])
    await only.waitFor('in')
    const bob = await ssh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])
    expect(bob).toMatchObject({ exitCode: 255, stdout: '' })
    expect(bob.stderr).toContain(
      'Too many connections come from your address: 1 are logged in. Close one, or',
    )
  })

  test('where they give way to others from their address, while they wait and before', async () => {
    await using server = await startSshServer(staying, {
      connections_per_address: 1,
      unauthenticated_per_address: 1,
      address_burst: 4,
      address_per_s: 1,
    })
    const all = Array.from({ length: 12 }, () => open(server.port))
    const first = all.slice(0, 4)
    await Promise.all(first.map(({ socket }) => closed(socket)))
    for (const { heard } of first) expect(heard()).toContain('Too many connections wait for their login here')
    for (const { socket } of all) socket.destroy()
  })
})

test('a client that is disconnected is closed even where it does not read, and goes on to send', async () => {
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
  expect(server.logged.map(({ text }) => text)).toEqual(['connection dropped', 'login', 'connection dropped'])
})
