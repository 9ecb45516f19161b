import { writeFileSync } from 'node:fs'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { createCA, createCert } from 'mkcert'
import { describe, expect, test } from 'vitest'
import { type BusConfig, natsAddress } from '../../../../src/cluster/wire/config.ts'
import { busProblem, openWire } from '../../../../src/cluster/wire/wire.ts'
import { built } from '../../../support/built.ts'
import { type EventLog, createEventLog } from '../../../support/event-log.ts'
import { type TestNats, startNats } from '../../../support/nats.ts'
import { createNatsUsers } from '../../../support/nats-users.ts'
import { lacks } from '../../../support/needs.ts'
import { freePort } from '../../../support/postgres/server.ts'
import { temporaryDir } from '../../../support/storage.ts'

/** How NATS greets its clients. */
const INFO = 'INFO {"server_id":"x","version":"2.9.0","proto":1,"headers":true,"max_payload":1048576}\r\n'

/** What became of an attempt: whether texts come through, and what the log says of it. */
interface Outcome {
  readonly isUp: boolean
  readonly log: EventLog
}

/** Opens a wire, and has a text brought to itself where it works. */
async function attempt(bus: Partial<BusConfig> & Pick<BusConfig, 'url'>): Promise<Outcome> {
  const log = createEventLog()
  await using wire = await openWire({ bus: { prefix: 'unit', ...bus }, storageUrl: '', log })
  const isUp = wire.isUp()
  if (isUp)
    await new Promise<void>((resolve) => {
      wire.hear('room.a', () => resolve())
      wire.send('room.a', 'text')
    })
  return { isUp, log }
}

const withLogin = ({ url }: TestNats, login: string): string => url.replace('//', `//${login}@`)

/** A server of anybody else, and what it was sent. */
async function startImpostor(
  greet: (socket: Socket) => void,
): Promise<AsyncDisposable & { readonly port: number; readonly sent: Buffer[] }> {
  const sent: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (data) => sent.push(data))
    greet(socket)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sent,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe.skipIf(lacks('nats'))('NATS', () => {
  test('a NATS login is accepted if it is right, and its password is not logged if it is wrong', async () => {
    await using nats = await startNats(['--user', 'sshawl', '--pass', 'tops3cret@,/'])
    expect(await attempt({ url: withLogin(nats, 'sshawl:tops3cret%40%2C%2F') })).toMatchObject({ isUp: true })
    const wrong = await attempt({ url: withLogin(nats, 'sshawl:tops3cret') })
    expect(wrong.isUp).toBe(false)
    expect(wrong.log.lines.join()).toContain('uthorization')
    expect(wrong.log.lines.join()).not.toContain('tops3cret')
    expect((await attempt({ url: nats.url })).isUp).toBe(false)
  })

  test('busProblem names the error of a NATS server without its password', async () => {
    using dir = temporaryDir()
    const config = join(dir.path, 'nats.conf')
    const user = 'user: u, password: "tops3cret", permissions: { publish: "a.>", subscribe: "a.>" }'
    writeFileSync(config, `authorization { users: [ { ${user} } ] }`)
    const log = createEventLog()
    const nats = await startNats(['-c', config])
    const problemOf = async (login: string, prefix: string): Promise<string | undefined> =>
      await busProblem({ url: withLogin(nats, login), prefix }, log)
    expect(await problemOf('u:tops3cret', 'a')).toBeUndefined()
    expect(await problemOf('u:tops3cret', 'b')).toContain(
      'delivers no message under b.>: look at the permissions of the user',
    )
    const wrong = await problemOf('u:tops3cret2', 'a')
    expect(wrong).toMatch(/^NATS cannot be used: .*uthorization/)
    expect(wrong).not.toContain('tops3cret')
    await nats.kill()
    expect(await problemOf('u:tops3cret', 'a')).toMatch(/^NATS cannot be used: (?!.*tops3cret)./)
    expect(log.lines.join()).not.toContain('tops3cret')
  })

  test('a NATS server accepts a right token and rejects a wrong one', async () => {
    await using nats = await startNats(['--auth', 't0ken'])
    expect((await attempt({ url: withLogin(nats, 't0ken') })).isUp).toBe(true)
    expect((await attempt({ url: withLogin(nats, 'other') })).isUp).toBe(false)
  })

  test('NATS credentials are read from their file for each connection', async () => {
    using dir = temporaryDir()
    const [config, credentials] = [join(dir.path, 'nats.conf'), join(dir.path, 'user.creds')]
    const [mine, others] = [createNatsUsers(), createNatsUsers()]
    writeFileSync(config, mine.operatorConfig)
    await using nats = await startNats(['-c', config])
    const url = nats.url
    for (const [text, isUp] of [
      [mine.credentials, true],
      [others.credentials, false],
      ['no credentials', false],
    ] as const) {
      writeFileSync(credentials, text)
      const outcome = await attempt({ url, credentials })
      expect(outcome.isUp).toBe(isUp)
      expect(outcome.log.lines.join()).not.toMatch(/SU[A-Z2-7]{10}|eyJ/)
    }
    const log = createEventLog()
    await using wire = await openWire({
      bus: { url, prefix: 'unit', credentials },
      storageUrl: '',

      log,
    })
    expect(log.lines.join()).toContain('the credentials for NATS cannot be used')
    writeFileSync(credentials, mine.credentials)
    await log.until('the bus is up again')
    expect(wire.isUp()).toBe(true)
  })

  test('a NATS server accepts the nkey of a user as its only credentials', async () => {
    using dir = temporaryDir()
    const [config, credentials] = [join(dir.path, 'nats.conf'), join(dir.path, 'user.nk')]
    const { nkeyConfig, seed } = createNatsUsers()
    writeFileSync(config, nkeyConfig)
    writeFileSync(credentials, seed)
    await using nats = await startNats(['-c', config])
    expect((await attempt({ url: nats.url, credentials })).isUp).toBe(true)
    writeFileSync(credentials, createNatsUsers().seed)
    expect((await attempt({ url: nats.url, credentials })).isUp).toBe(false)
  })

  test('a NATS server that forbids the subjects is logged once', async () => {
    using dir = temporaryDir()
    const config = join(dir.path, 'nats.conf')
    writeFileSync(
      config,
      'authorization { users: [ { user: u, password: p, permissions: { publish: "a.>", subscribe: "a.>" } } ] }',
    )
    await using nats = await startNats(['-c', config])
    const url = withLogin(nats, 'u:p')
    expect((await attempt({ url, prefix: 'a' })).isUp).toBe(true)
    const log = createEventLog()
    await using wire = await openWire({ bus: { url, prefix: 'b' }, storageUrl: '', log })
    wire.hear('room.a', () => undefined)
    for (const text of ['x', 'y', 'z']) wire.send('room.a', text)
    await log.until('NATS refuses something')
    await using other = await openWire({ bus: { url, prefix: 'a' }, storageUrl: '', log })
    await new Promise<void>((resolve) => {
      other.hear('b', () => resolve())
      other.send('b', 'x')
    })
    expect([wire.isUp(), log.lines.length]).toEqual([true, 1])
  })

  test('a text over the max_payload of the NATS server is not sent', async () => {
    using dir = temporaryDir()
    const config = join(dir.path, 'nats.conf')
    writeFileSync(config, 'max_payload: 1000\n')
    await using nats = await startNats(['-c', config])
    await using wire = await openWire({
      bus: { url: nats.url, prefix: 'p' },
      storageUrl: '',

      log: createEventLog(),
    })
    const most = 1000
    expect(wire.maxBytes).toBe(most)
    const heard = await new Promise<string>((resolve) => {
      wire.hear('a', resolve)
      wire.send('a', 'x'.repeat(most + 1))
      wire.send('a', 'x'.repeat(most))
    })
    expect(heard).toHaveLength(most)
  })

  test('two clusters with different prefixes on one NATS server receive only their own texts', async () => {
    await using nats = await startNats()
    const open = (prefix: string) =>
      openWire({ bus: { url: nats.url, prefix }, storageUrl: '', log: createEventLog() })
    await using one = await open('one')
    await using two = await open('two')
    const heard: string[] = []
    await new Promise<void>((resolve) => {
      two.hear('room.a', (text) => {
        heard.push(text)
        if (text === 'end') resolve()
      })
      two.send('room.a', 'begin')
      one.hear('room.a', () => two.send('room.a', 'end'))
      one.send('room.a', 'of one')
    })
    expect(heard).toEqual(['begin', 'end'])
  })

  test('a NATS address with several servers connects if one of them answers', async () => {
    await using nats = await startNats()
    const url = `nats://127.0.0.1:${await freePort()},127.0.0.1:${nats.port}, nats://[::1]:${await freePort()}`
    expect((await attempt({ url })).isUp).toBe(true)
  })

  test('a tls:// address sends nothing to a NATS server without TLS', async () => {
    await using impostor = await startImpostor((socket) => socket.write(INFO))
    const outcome = await attempt({ url: `tls://sshawl:tops3cret@127.0.0.1:${impostor.port}` })
    expect(outcome.isUp).toBe(false)
    expect(impostor.sent).toEqual([])
  })

  test('a tls:// address connects to NATS only if its certificate is trusted', async () => {
    using dir = temporaryDir()
    const ca = await createCA({ ...NAMES, validity: 1 })
    const { key, cert } = await createCert({ ca, domains: ['localhost', '127.0.0.1'], validity: 1 })
    const files = { ca: ca.cert, key, cert }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir.path, name), text)
    const file = (name: string): string => join(dir.path, name)
    await using nats = await startNats(['--tls', '--tlscert', file('cert'), '--tlskey', file('key')])
    const refused = await attempt({ url: `tls://sshawl:tops3cret@127.0.0.1:${nats.port}` })
    expect(refused.isUp).toBe(false)
    expect(refused.log.lines.join()).toMatch(/certificate/)
    expect(refused.log.lines.join()).not.toContain('tops3cret')
    const urls = ['localhost', '127.0.0.1'].map((host) => `tls://${host}:${nats.port}`)
    const env = { NODE_EXTRA_CA_CERTS: file('ca') }
    const { stdout } = await execa('node', [built('nats-probe'), ...urls], { env })
    expect(stdout.split('\n').map((line) => JSON.parse(line))).toEqual(
      urls.map(() => ({ isUp: true, lines: [] })),
    )
  })

  test.each([
    ['ends at once', (socket: Socket) => socket.end()],
    ['speaks another language', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['says nothing that can be read', (socket: Socket) => socket.write('INFO {"max_payload":\r\n')],
    ['refuses', (socket: Socket) => socket.end(`${INFO}-ERR 'maximum connections exceeded'\r\n`)],
  ])('a NATS server that %s is unreachable', async (_, greet) => {
    await using impostor = await startImpostor(greet)
    const outcome = await attempt({ url: `nats://127.0.0.1:${impostor.port}` })
    expect(outcome.isUp).toBe(false)
    expect(outcome.log.count('the bus is down')).toBe(1)
  })
})

/** What a certificate must say. */
const NAMES = { organization: 'exam', countryCode: 'DE', state: 'x', locality: 'x' }

test.each([
  ['nats://h', { servers: ['h:4222'], isEncrypted: false }],
  ['nats://h/', { servers: ['h:4222'], isEncrypted: false }],
  ['tls://h.example.org:443', { servers: ['h.example.org:443'], isEncrypted: true }],
  ['nats://a,b:1, nats://[::1]:2', { servers: ['a:4222', 'b:1', '[::1]:2'], isEncrypted: false }],
  ['nats://a,tls://b', { servers: ['a:4222', 'b:4222'], isEncrypted: true }],
  ['nats://t0ken@h', { servers: ['h:4222'], isEncrypted: false, login: { token: 't0ken' } }],
  [
    'nats://me:p%40%2Css@a,b,nats://me:p%40%2Css@c',
    { servers: ['a:4222', 'b:4222', 'c:4222'], isEncrypted: false, login: { user: 'me', pass: 'p@,ss' } },
  ],
])('the NATS address %s is parsed', (url, address) => {
  expect(natsAddress(url)).toEqual(address)
})

test.each([
  ...'h h:4222 nats:// nats://:4222 nats://h:99999 nats://h:x nats://a, ,nats://a nats://a,,nats://b'.split(
    ' ',
  ),
  ...'nats://h/path nats://h?tls=true nats://h#x nats://me:%zz@h nats://:password@h nats://me:one@a,me:two@b ws://h nats://a,ws://b http://h'.split(
    ' ',
  ),
  ...['', 'nats://a b', 'NATS://h\n'],
])('the NATS address %j is refused', (url) => {
  expect(natsAddress(url)).toBeUndefined()
})
