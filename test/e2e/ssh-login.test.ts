import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, afterAll, beforeAll, expect, test } from 'vitest'
import { Refusal } from '../../src/words/errors.ts'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { createSshHome, openSsh, ssh, type SshHome } from '../support/ssh.ts'
import { lacks, debianPython } from '../support/needs.ts'
import { handlerWith, personCalled, startSshServer, type SshFixture } from '../support/ssh-server.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Reads all that a raw connection gets until it is closed. */
async function readUntilClosed(port: number, first = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  await once(socket, 'connect')
  if (first) socket.write(first)
  await once(socket, 'close')
  return text
}

test.each([
  ['Ed25519', 'ssh-ed25519', ['-t', 'ed25519']],
  ['ECDSA', 'ecdsa-sha2-nistp384', ['-t', 'ecdsa', '-b', '384']],
  ['RSA with SHA-2', 'ssh-rsa', ['-t', 'rsa', '-b', '2048']],
])(
  'a login with a key of type %s passes name, fingerprint and address to the handler',
  async (label, algorithm, args) => {
    const seen: unknown[] = []
    await using server = await startSshServer(
      handlerWith({
        identify(name, key, address) {
          seen.push({ name, ...key, address })
          return Promise.resolve(personCalled(name))
        },
      }),
    )
    const key = await home.key(label.slice(0, 3), args)
    expect((await ssh({ user: 'Ünï', port: server.port, key }, ['x'])).exitCode).toBe(0)
    expect(seen).toMatchObject([
      {
        name: 'Ünï',
        algorithm,
        fingerprint: await home.fingerprint(label.slice(0, 3)),
        address: '127.0.0.1',
      },
    ])
  },
)

test('RSA keys with SHA-1 or 1024 bits are rejected without a lookup', async () => {
  let asked = 0
  await using server = await startSshServer(
    handlerWith({ identify: (name) => (asked++, Promise.resolve(personCalled(name))) }),
  )
  const key = await home.key('rsa', ['-t', 'rsa', '-b', '2048'])
  const sha1 = await ssh(
    { user: 'a', port: server.port, key, options: ['-o', 'PubkeyAcceptedAlgorithms=ssh-rsa'] },
    ['x'],
  )
  const short = await ssh(
    {
      user: 'a',
      port: server.port,
      key: await home.key('short', ['-t', 'rsa', '-b', '1024']),
      options: ['-o', 'RequiredRSASize=1024'],
    },
    ['x'],
  )
  for (const { exitCode, stderr } of [sha1, short]) {
    expect(exitCode).toBe(255)
    expect(stderr).toContain('Permission denied (publickey)')
  }
  expect(asked).toBe(0)
})

test('a client without a key and one with a rejected key read the same hint', async () => {
  await using server = await startSshServer(
    handlerWith({ identify: () => Promise.reject(new Refusal('this name is taken')) }),
  )
  const none = await ssh({ user: 'alice', port: server.port }, ['x'])
  const refused = await ssh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['x'])
  for (const { exitCode, stderr } of [none, refused]) {
    expect(exitCode).toBe(255)
    expect(stderr).toContain('ssh-keygen -t ed25519')
    expect(stderr).toContain('Permission denied (publickey).')
    expect(stderr).not.toContain('taken')
  }
})

test('a login whose handler throws is rejected and logged as an error', async () => {
  await using server = await startSshServer(
    handlerWith({ identify: () => Promise.reject(new Error('disk full')) }),
  )
  const { exitCode } = await ssh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['x'])
  expect(exitCode).toBe(255)
  expect(server.logged.map(({ text }) => text)).toContain('login failed')
})

test('a client that offers too many keys is disconnected', async () => {
  await using server = await startSshServer(
    handlerWith({ identify: () => Promise.reject(new Refusal('no')) }),
    { keys_offered: 2 },
  )
  const keys = await Promise.all(['k1', 'k2', 'k3', 'k4'].map((name) => home.key(name)))
  const options = keys.slice(1).flatMap((key) => ['-i', key])
  const { stderr } = await ssh({ user: 'a', port: server.port, key: keys[0]!, options }, ['x'])
  expect(stderr).not.toContain('Permission denied')
  expect(server.logged).toContainEqual({
    text: 'connection dropped',
    facts: expect.objectContaining({ why: 'too many login attempts' }),
  })
})

test.each([
  ['nothing', ''],
  ['half a version', 'SSH-2.0-hal'],
  ['a version and then nothing', 'SSH-2.0-test\r\n'],
])('a client that sends %s is disconnected at the login timeout', async (_label, first) => {
  await using server = await startSshServer(handlerWith({}), { login_timeout_s: 0.2 })
  expect(await readUntilClosed(server.port, first)).toMatch(/^SSH-2\.0-sshawl\r\n/)
})

test('a client that sends bytes other than SSH is disconnected, and other clients can log in', async () => {
  await using server = await startSshServer(handlerWith({}))
  await readUntilClosed(server.port, `${'\x00\xff'.repeat(40_000)}\r\n`)
  await readUntilClosed(server.port, `SSH-2.0-x\r\n${'\xff'.repeat(64)}`)
  expect((await ssh({ user: 'a', port: server.port, key: await home.key('alice') }, ['x'])).exitCode).toBe(0)
})

test('the oldest unauthenticated connection of an address is closed for a new one over the limit', async () => {
  await using server = await startSshServer(handlerWith({}), { unauthenticated_per_address: 2 })
  const [oldest, other] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')]
  await Promise.all([oldest, other].map((socket) => once(socket, 'data')))
  const key = await home.key('alice')
  const closed = once(oldest, 'close')
  expect((await ssh({ user: 'a', port: server.port, key }, ['x'])).exitCode).toBe(0)
  await closed
  expect(other.destroyed).toBe(false)
  other.destroy()
})

test('a connection over connections_per_address is rejected with a message', async () => {
  await using server = await startSshServer(
    handlerWith({
      async exec(_person, _line, pipe) {
        await pipe.out('in')
        await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
        return 0
      },
    }),
    { connections_per_address: 1 },
  )
  const stranger = connect(server.port, '127.0.0.1')
  await once(stranger, 'data')
  await using only = openSsh({ user: 'alice', port: server.port, key: await home.key('alice') }, ['stay'])
  await only.waitFor('in')
  for (let time = 0; time < 2; time++)
    expect(await readUntilClosed(server.port)).toContain('Too many connections')
  const other = await ssh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])
  expect([other.exitCode, other.stderr]).toEqual([
    255,
    expect.stringContaining('Too many connections come from your address: 1 are logged in'),
  ])
  expect(server.logged.filter(({ text }) => text === 'connections are turned away')).toHaveLength(1)
  stranger.destroy()
})

test('a connection over connections_per_person is rejected for the name and the key', async () => {
  await using server = await startSshServer(
    handlerWith({
      async exec(_person, line, pipe) {
        await pipe.out('in')
        if (line === 'stay') await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
        return 0
      },
    }),
    { connections_per_person: 1 },
  )
  const key = await home.key('alice')
  await using first = openSsh({ user: 'alice', port: server.port, key }, ['stay'])
  await first.waitFor('in')
  const second = await ssh({ user: 'alice', port: server.port, key }, ['x'])
  expect([second.exitCode, second.stderr.includes('under this name or with this key')]).toEqual([1, true])
  const otherName = await ssh({ user: 'bob', port: server.port, key }, ['x'])
  expect([otherName.exitCode, otherName.stderr.includes('with this key')]).toEqual([1, true])
  expect((await ssh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])).exitCode).toBe(0)
  // One that opens nothing is not there for long, and reads why, too.
  const idle = await ssh({ user: 'alice', port: server.port, key, options: ['-N'] }, [])
  expect([idle.exitCode, idle.stderr.includes('You have 1 connections already')]).toEqual([255, true])
})

test('a client that disconnects during the key lookup does not count toward connections_per_person', async () => {
  const looking = createDeferred<void>()
  const asked = createDeferred<void>()
  const { identify } = handlerWith({})
  let isFirst = true
  await using server = await startSshServer(
    handlerWith({
      async identify(name, ...login) {
        if (name === 'alice' && isFirst) {
          isFirst = false
          asked.resolve()
          await looking.promise
        }
        return await identify(name, ...login)
      },
    }),
    { connections_per_person: 1 },
  )
  const key = await home.key('alice')
  const client = openSsh({ user: 'alice', port: server.port, key }, ['x'])
  await asked.promise
  client.child.kill('SIGKILL')
  await client.exit
  // The login of somebody else shows that the server has seen the client go.
  expect((await ssh({ user: 'bob', port: server.port, key: await home.key('bob') }, ['x'])).exitCode).toBe(0)
  looking.resolve()
  expect((await ssh({ user: 'alice', port: server.port, key }, ['x'])).exitCode).toBe(0)
})

test.skipIf(lacks('ssh-audit'))('ssh-audit finds no failure and gives no warning', async () => {
  await using server = await startSshServer(handlerWith({}), { unauthenticated_per_address: 100 })
  const { stdout } = await execa('ssh-audit', ['-n', '-p', String(server.port), '127.0.0.1'], {
    reject: false,
  })
  expect(stdout).toContain('(kex) curve25519-sha256')
  // ssh-audit before 3.1 does not know the marker of strict key exchange (the cure for CVE-2023-48795), nor
  // ML-KEM.
  const findings = stdout
    .split('\n')
    .filter((line) => /\[(fail|warn)\]/.test(line) && !/kex-strict-s-v00|mlkem768x25519-sha256/.test(line))
  expect(findings).toEqual([])
})

describe('clients of other makers', () => {
  let key: string
  let server: SshFixture
  beforeAll(async () => {
    home = await createSshHome()
    key = await home.key('ann', ['-t', 'ed25519'])
    server = await startSshServer(
      handlerWith({
        async exec(_person, _line, pipe) {
          await pipe.out('hello\n')
          return 7
        },
      }),
    )
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  /**
   * Runs a client to its end. What it says on standard error is not looked at: each has its own words for a new
   * host.
   */
  async function run(command: string, args: readonly string[]) {
    const options = { reject: false, timeout: 30_000, env: { HOME: home.dir }, stdin: 'ignore' } as const
    const { stdout, exitCode } = await execa(command, args, options)
    return { stdout, exitCode }
  }

  const WELCOME = { stdout: 'hello', exitCode: 7 }

  test('the local OpenSSH client gets no warning and uses the best common key exchange', async () => {
    const { stdout: offered } = await execa('ssh', ['-Q', 'kex'])
    const target = { user: 'ann', port: server.port, key, options: ['-v'] }
    const { stdout, stderr, exitCode } = await ssh(target, ['x'])
    expect([stdout, exitCode]).toEqual(['hello\n', 7])
    const best = offered.includes('mlkem768x25519') ? 'mlkem768x25519-sha256' : 'curve25519-sha256'
    expect(stderr).toContain(`kex: algorithm: ${best}`)
    expect(stderr).not.toMatch(/quantum/)
  })

  test.skipIf(lacks('dropbear'))('the dropbear client can log in and run a command', async () => {
    const own = join(home.dir, 'dropbear')
    await execa('dropbearconvert', ['openssh', 'dropbear', key, own])
    const args = ['-y', '-y', '-i', own, '-p', String(server.port), 'ann@127.0.0.1', 'x']
    expect(await run('dbclient', args)).toEqual(WELCOME)
  })

  test.skipIf(lacks('putty'))('plink can log in and run a command', async () => {
    const own = join(home.dir, 'ann.ppk')
    await execa('puttygen', [key, '-o', own])
    const { stdout: hostKey } = await execa('ssh-keyscan', ['-p', String(server.port), '127.0.0.1'])
    const { stdout: print } = await execa('ssh-keygen', ['-lf', '-'], { input: hostKey })
    const args = ['-batch', '-hostkey', print.split(' ')[1]!, '-i', own, '-P', String(server.port)]
    expect(await run('plink', [...args, 'ann@127.0.0.1', 'x'])).toEqual(WELCOME)
  })

  const PARAMIKO = `
import sys, paramiko
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect('127.0.0.1', int(sys.argv[1]), 'ann', key_filename=sys.argv[2])
_, out, _ = client.exec_command('x')
print(out.read().decode(), end='')
sys.exit(out.channel.recv_exit_status())
`

  test.skipIf(lacks('paramiko'))('paramiko can log in and run a command', async () => {
    const args = ['-c', PARAMIKO, String(server.port), key]
    expect(await run(debianPython(), args)).toEqual(WELCOME)
  })
})
