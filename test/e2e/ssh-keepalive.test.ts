import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createSshHome, type SshHome } from '../support/ssh.ts'
import { handlerWith, startSshServer, type SshFixture } from '../support/ssh-server.ts'
import { connectHostile } from '../support/ssh2-client.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** ssh2 sends a keepalive each 15 s, and nothing else here uses an interval. */
const passKeepalive = (): void => void vi.advanceTimersByTime(15_000)

/** SSH_MSG_CHANNEL_DATA without a channel, after which ssh2 throws at all that is sent. */
const MALFORMED = Buffer.of(94)

const drops = ({ logged }: SshFixture): number =>
  logged.filter(({ text }) => text === 'connection dropped').length

test('a peer that answers no keepalive is dropped after 45 s', async () => {
  await using server = await startSshServer(handlerWith({}))
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  client.stopReading()
  passKeepalive()
  passKeepalive()
  expect(drops(server)).toBe(0)
  passKeepalive()
  expect(drops(server)).toBe(1)
})

test('a peer that answers again after a lost keepalive stays connected', async () => {
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

test('no keepalive is sent to a client that was disconnected and does not hang up', async () => {
  await using server = await startSshServer(handlerWith({}))
  using client = await connectHostile('alice', server.port, await home.key('alice'))
  client.stopReading()
  client.send(MALFORMED)
  await vi.waitUntil(() => drops(server) === 1)
  expect(passKeepalive).not.toThrow()
})
