import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { WITHOUT_TIMES } from '../support/personal.ts'
import { runSession } from '../../src/terminal/session.ts'
import type { Terminal, ExecPipe } from '../../src/terminal/ports.ts'
import { createFakeRoom, type FakeRoom } from '../support/session-host.ts'
import { createSshHome, openSsh, ssh } from '../support/ssh.ts'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { handlerWith, startSshServer } from '../support/ssh-server.ts'
import { sharedBySessions } from '../support/shared-by-sessions.ts'
import { createEmulator } from '../support/terminal.ts'

const home = await forAllTests(createSshHome())

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

test('a person can type, correct, send and leave with ^D', async () => {
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

test('SSHAWL_* and LANG of SetEnv reach the session sanitized, but other variables do not', async () => {
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

test('unknown subsystems, direct forwards and remote forwards are refused', async () => {
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

test('a paused reader reads how many messages it missed, and is disconnected after stall_s', async () => {
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

test('a line that makes the host throw shows an error, and the session continues', async () => {
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

test('a session that throws exits with status 1 and an apology, while other sessions continue', async () => {
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

test('a stopping server says goodbye to sessions, aborts commands and disconnects clients', async () => {
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
  expect(emulator.text()).toContain(
    'welcome\nThe server is going down. Goodbye. Once it is back, the same ssh command brings you in.',
  )
  expect(session.output()).toContain('\u001b[?2004l')
  expect(await command.exit).toBe(9)
  expect(room.screens.size).toBe(0)
})

test('a session that never ends is disconnected with a goodbye when the server stops', async () => {
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

describe('a command', () => {
  const target = async (port: number, options: readonly string[] = []) => ({
    user: 'alice',
    port,
    key: await home.key('alice'),
    options,
  })

  /** A server whose commands are run by `exec`. */
  const withExec = (exec: (line: string, pipe: ExecPipe) => Promise<number>) =>
    startSshServer(handlerWith({ exec: (_person, line, pipe) => exec(line, pipe) }))

  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

  test('the line of a command arrives unchanged, as do both streams and its exit status', async () => {
    await using server = await withExec(async (line, pipe) => {
      await pipe.out(`got ${line}\n`)
      await pipe.err('but\n')
      return 7
    })
    const result = await ssh(await target(server.port), ['say', 'lobby', `it's "quoted"  twice`])
    expect(result).toMatchObject({ stdout: `got say lobby it's "quoted"  twice\n`, exitCode: 7 })
    expect(result.stderr).toContain('but\n')
  })

  test('a command line that is too long is rejected with an explanation', async () => {
    await using server = await withExec(async (line, pipe) => {
      await pipe.out(String(line.length))
      return 0
    })
    const of = async (length: number) => await ssh(await target(server.port), ['x'.repeat(length)])
    expect(await of(34_000)).toMatchObject({ stdout: '34000', exitCode: 0 })
    for (const length of [35_000, 100_000]) {
      const { stdout, stderr, exitCode } = await of(length)
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 255 })
      expect(stderr).toContain(
        'nothing was done: a command line can have about 34,000 bytes; pipe a longer text in',
      )
    }
  })

  test('five megabytes of output arrive complete if the command does not wait for the reader', async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `line ${i} ${'é'.repeat(20)}\n`).join('')
    expect(Buffer.byteLength(text)).toBeGreaterThan(5_000_000)
    await using server = await withExec(async (_line, pipe) => {
      void pipe.out(text)
      return 3
    })
    const { stdout, exitCode } = await ssh(await target(server.port), ['history'])
    expect([sha256(stdout), exitCode]).toEqual([sha256(text), 3])
  })

  test('both streams arrive complete if both have to wait for the window', async () => {
    const chunk = 'x'.repeat(65_536)
    await using server = await withExec(async (_line, pipe) => {
      for (let i = 0; i < 60; i++) await Promise.all([pipe.out(chunk), pipe.err(chunk)])
      return 0
    })
    const { stdout, stderr, exitCode } = await ssh(await target(server.port), ['both'])
    expect(stdout.length).toBe(60 * 65_536)
    expect(stderr.match(/x/g)?.length).toBe(60 * 65_536)
    expect(exitCode).toBe(0)
  })

  test('standard input reaches the command complete', async () => {
    const input = Buffer.alloc(3_000_000, 'abc\0\xff', 'latin1')
    await using server = await withExec(async (_line, pipe) => {
      const hash = createHash('sha256')
      for await (const chunk of pipe.stdin) hash.update(chunk)
      await pipe.out(hash.digest('hex'))
      return 0
    })
    const { stdout } = await ssh(await target(server.port), ['say', 'lobby'], { input })
    expect(stdout).toBe(createHash('sha256').update(input).digest('hex'))
  })

  test('a command that does not read all of its input exits with status 0', async () => {
    await using server = await withExec(async (line, pipe) => {
      if (line === 'one') for await (const _chunk of pipe.stdin) break
      await pipe.out('done')
      return 0
    })
    const input = 'y'.repeat(4_000_000)
    expect(await ssh(await target(server.port), ['one'], { input })).toMatchObject({
      stdout: 'done',
      exitCode: 0,
    })
    expect(await ssh(await target(server.port), ['none'], { input })).toMatchObject({
      stdout: 'done',
      exitCode: 0,
    })
  })

  test('a killed client aborts the signal of its command', async () => {
    let heard!: () => void
    const aborted = new Promise<void>((resolve) => (heard = resolve))
    await using server = await withExec(async (_line, pipe) => {
      pipe.signal.addEventListener('abort', heard)
      await pipe.out('started')
      await aborted
      await pipe.out('nobody hears this')
      return 0
    })
    await using client = openSsh(await target(server.port), ['ask'])
    await client.waitFor('started')
    client.child.kill('SIGKILL')
    await aborted
  })

  test('^C in a command with a pty aborts its signal, and the output has CRLF line ends', async () => {
    await using server = await withExec(async (_line, pipe) => {
      await pipe.out('started\n')
      await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
      await pipe.out('stopped\n')
      return 130
    })
    await using client = openSsh(await target(server.port, ['-tt']), ['ask'])
    await client.waitFor('started\r\n')
    client.write('\x03')
    await client.waitFor('stopped\r\n')
    expect(await client.exit).toBe(130)
  })

  test('escape sequences are removed from the output of a command', async () => {
    await using server = await withExec(async (_line, pipe) => {
      await pipe.out('a\x1b[31mb\u009b2Jc\x1b]0;title\x07d\n')
      return 0
    })
    expect((await ssh(await target(server.port), ['x'])).stdout).toBe('abcd\n')
  })

  test('a command that throws exits with status 1 and an apology, but the next command runs', async () => {
    await using server = await withExec(async (line) => {
      if (line === 'boom') throw new Error('secret detail')
      return 0
    })
    const failed = await ssh(await target(server.port), ['boom'])
    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).toContain('something went wrong on the server')
    expect(failed.stderr).not.toContain('secret')
    expect(server.logged.map(({ text }) => text)).toContain('command failed')
    expect((await ssh(await target(server.port), ['fine'])).exitCode).toBe(0)
  })
})
