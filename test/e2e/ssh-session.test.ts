import { WITHOUT_TIMES } from '../support/personal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSession } from '../../src/session/session.ts'
import type { Terminal } from '../../src/session/ports.ts'
import { createFakeRoom, type FakeRoom } from '../support/session-host.ts'
import { createSshHome, openSsh, ssh, type SshHome } from '../support/ssh.ts'
import { createDeferred } from '../../src/lib/jobs/waiting.ts'
import { handlerWith, startSshServer } from '../support/ssh-server.ts'
import { sharedBySessions } from '../support/shared-by-sessions.ts'
import { createEmulator } from '../support/terminal.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const target = async (port: number, options: readonly string[] = ['-tt'], user = 'alice') => ({
  user,
  port,
  key: await home.key('alice'),
  options,
})

const shared = sharedBySessions()

/** A server with one room in memory behind it. */
function startChat(limits: Parameters<typeof startSshServer>[1] = {}) {
  const room = createFakeRoom()
  const handler = handlerWith({
    shell: (person, terminal, account) =>
      runSession({ person, terminal, host: room.host(), shared, account, preferences: WITHOUT_TIMES }),
  })
  return startSshServer(handler, limits)
}

test('a person types, corrects, sends, and leaves with ^D', async () => {
  await using server = await startChat()
  await using client = openSsh(await target(server.port))
  await client.waitFor('welcome')
  client.write('helo\x7flo wörld\r')
  await client.waitFor('hello wörld')
  client.write('\x04')
  expect(await client.exit).toBe(0)
  const emulator = createEmulator()
  await emulator.write(client.output())
  expect(emulator.all()).toEqual(['welcome', 'alice: hello wörld'])
})

test('two people see each other, in the same order', async () => {
  await using server = await startChat()
  await using alice = openSsh(await target(server.port))
  await using bob = openSsh(await target(server.port, ['-tt'], 'bob'))
  await Promise.all([alice.waitFor('welcome'), bob.waitFor('welcome')])
  alice.write('one\r')
  await Promise.all([alice.waitFor('one'), bob.waitFor('one')])
  bob.write('two\r')
  await Promise.all([alice.waitFor('two'), bob.waitFor('two')])
})

test('a pipe posts each line, prints no escape byte and exits 0', async () => {
  await using server = await startChat()
  const { stdout, exitCode } = await ssh(await target(server.port, ['-T']), [], { input: 'a\nb\nlast' })
  expect({ stdout, exitCode }).toEqual({ stdout: 'welcome\nalice: a\nalice: b\nalice: last\n', exitCode: 0 })
})

test('SSHAWL_PLAIN sent with SetEnv gives a session without escapes; other variables do not arrive', async () => {
  let env: Terminal['env'] = {}
  await using server = await startSshServer(
    handlerWith({
      shell(_person, terminal) {
        env = terminal.env
        terminal.write('seen')
        return Promise.resolve()
      },
    }),
  )
  const options = [
    '-tt',
    '-o',
    'SetEnv=SSHAWL_PLAIN=1 LANG=de_DE.UTF-8 LD_PRELOAD=x SSHAWL_EVIL=a\u001b[31mb',
  ]
  await using client = openSsh(await target(server.port, options))
  await client.waitFor('seen')
  expect(await client.exit).toBe(0)
  expect(env).toEqual({ SSHAWL_PLAIN: '1', LANG: 'de_DE.UTF-8', SSHAWL_EVIL: 'a[31mb' })
})

test('subsystems, forwards of every kind and agents are refused while a shell works', async () => {
  await using server = await startChat()
  const netconf = await ssh(await target(server.port, ['-s']), ['netconf'])
  expect([netconf.exitCode, netconf.stderr.includes('subsystem request failed')]).toEqual([255, true])
  const direct = await ssh(await target(server.port, ['-W', 'localhost:22']), [])
  expect(direct.stderr).toContain('administratively prohibited')
  for (const forward of [
    ['-R', '0:localhost:22'],
    ['-R', `${home.dir}/sock:localhost:22`],
  ]) {
    const remote = await ssh(await target(server.port, ['-o', 'ExitOnForwardFailure=yes', ...forward]), ['x'])
    expect([remote.exitCode, /forwarding failed/.test(remote.stderr)]).toEqual([255, true])
  }
})

/** Serves one session in a room; `over` resolves when it has ended. */
function servingOne(room: FakeRoom) {
  const ended = createDeferred<void>()
  const handler = handlerWith({
    shell: (person, terminal, account) =>
      runSession({
        ...{ person, terminal, shared, account },
        host: room.host(),
        preferences: WITHOUT_TIMES,
      }).finally(ended.resolve),
  })
  return { handler, over: ended.promise }
}

test('a killed client ends its session on the server', async () => {
  const room = createFakeRoom()
  const { handler, over } = servingOne(room)
  await using server = await startSshServer(handler)
  await using client = openSsh(await target(server.port))
  await client.waitFor('welcome')
  client.child.kill('SIGKILL')
  await over
  expect(room.screens.size).toBe(0)
})

const SLOW = 'almost nothing was read for 1s (stall_s)'

test('a reader that is stopped is told how much it missed, and one that stays stopped is cut off', async () => {
  const room = createFakeRoom()
  const { handler, over } = servingOne(room)
  await using server = await startSshServer(handler, { queue_bytes: 65_536, stall_s: 1 })
  await using client = openSsh(await target(server.port, ['-T']))
  await client.waitFor('welcome')
  client.child.stdout.pause()
  const text = 'x'.repeat(4_000)
  for (let i = 0; i < 500; i++) room.deliver({ kind: 'message', author: 'bob', text })
  client.child.stdout.resume()
  await client.waitFor(/\[\d+ messages skipped\]/)
  room.deliver({ kind: 'message', author: 'bob', text: 'after the gap' })
  await client.waitFor('after the gap')
  client.child.stdout.pause()
  const flood = setInterval(() => room.deliver({ kind: 'message', author: 'bob', text: text.repeat(10) }), 1)
  await over
  clearInterval(flood)
  await client.waitForError(`: ${SLOW}`)
  expect(server.logged).toContainEqual({
    text: 'connection dropped',
    facts: expect.objectContaining({ person: 'alice', why: SLOW }),
  })
})

test('a line that makes the host throw is told, and the session goes on', async () => {
  await using server = await startChat()
  await using alice = openSsh(await target(server.port))
  await alice.waitFor('welcome')
  alice.write('/crash\r')
  await alice.waitFor('something went wrong on the server')
  alice.write('still here\r')
  await alice.waitFor('alice:\u001b[0m still here')
  alice.write('\x04')
  expect(await alice.exit).toBe(0)
})

test('a session that throws ends with an apology and status 1, and the others go on', async () => {
  const room = createFakeRoom()
  await using server = await startSshServer(
    handlerWith({
      shell: (person, terminal, account) =>
        person.name === 'alice'
          ? Promise.reject(new TypeError('a bug'))
          : runSession({ person, terminal, host: room.host(), shared, account, preferences: WITHOUT_TIMES }),
    }),
  )
  await using bob = openSsh(await target(server.port, ['-tt'], 'bob'))
  await bob.waitFor('welcome')
  await using alice = openSsh(await target(server.port))
  expect(await alice.exit).toBe(1)
  expect(alice.output()).toContain('something went wrong on the server')
  bob.write('still here\r')
  await bob.waitFor('bob\u001b[0m still here'.slice(-10))
})

test('when the server stops, people are told, commands are aborted, and the clients exit', async () => {
  const room = createFakeRoom()
  await using server = await startSshServer(
    handlerWith({
      shell: (person, terminal, account) =>
        runSession({ person, terminal, host: room.host(), shared, account, preferences: WITHOUT_TIMES }),
      async exec(_person, _line, pipe) {
        await pipe.out('waiting')
        await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
        return 9
      },
    }),
  )
  await using session = openSsh(await target(server.port))
  await using command = openSsh(await target(server.port, []), ['wait'])
  await Promise.all([session.waitFor('welcome'), command.waitFor('waiting')])
  await server.stop()
  expect(await session.exit).toBe(255)
  const emulator = createEmulator()
  await emulator.write(session.output())
  expect(emulator.all()).toEqual(['welcome', 'The server is going down. Goodbye.'])
  expect(session.output()).toContain('\u001b[?2004l')
  expect(await command.exit).toBe(9)
  expect(room.screens.size).toBe(0)
})

test('a session that is busy when the server stops is told and ended all the same', async () => {
  await using server = await startSshServer(
    handlerWith({
      shell(_person, terminal) {
        terminal.write('busy')
        return new Promise(() => undefined)
      },
    }),
  )
  await using session = openSsh(await target(server.port))
  await session.waitFor('busy')
  await server.stop()
  expect(await session.exit).toBe(255)
  expect(session.output()).toContain('Goodbye')
})
