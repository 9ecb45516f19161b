import { connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import fc from 'fast-check'
import { createSshHome, ssh } from '../support/ssh.ts'
import type { SshHome } from '../support/ssh.ts'
import { connectHostile } from '../support/ssh2-client.ts'
import { handlerWith, startSshServer } from '../support/ssh-server.ts'
import { runs } from '../support/runs.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Sends bytes and waits until the server hangs up. */
async function sendUntilClosed(port: number, bytes: Uint8Array): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined).resume()
  socket.end(bytes)
  await once(socket, 'close')
}

test('no bytes before the login bring the server down', async () => {
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

test('no bytes after the login bring the server down, in whatever message they come', async () => {
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
