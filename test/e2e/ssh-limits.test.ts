import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSshHome, ssh } from '../support/ssh.ts'
import type { SshHome } from '../support/ssh.ts'
import { connectHostile } from '../support/ssh2-client.ts'
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
