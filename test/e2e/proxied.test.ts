import { once } from 'node:events'
import { connect, type Socket, createServer, type AddressInfo, type Server } from 'node:net'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { handlerWith, personCalled, startSshServer } from '../support/ssh-server.ts'
import { openSsh, ssh, type SshResult, type SshSession, createSshHome } from '../support/ssh.ts'
import { createStage } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { binaryHeader, extra, ipv4Place, ipv6Place } from '../support/proxy-header.ts'
import { lacks } from '../support/needs.ts'
import { serveMcp } from '../support/serve-mcp.ts'

/** Lets everybody in, and says from where. */
const telling = handlerWith({
  identify: (name, _key, address) => Promise.resolve(personCalled(`${name} from ${address}`)),
  async exec({ name }, _line, pipe) {
    await pipe.out(name)
    return 0
  },
})

const CONFIG = `[server]
proxies = ["127.0.0.2", "127.0.3.0/24"]
[limits]
connections_per_address = 2
`
const GREETING = 'SSH-2.0-sshawl\r\n'

/** What the proxy says of those who come now. */
let header = binaryHeader()

const stage = await forAllTests(createStage({ config: CONFIG }))
await stage.claim('rhea')
const proxy = await forAllTests(startTcpProxy(stage.server.port, () => header))

const target = async (name: string) => ({ user: name, port: proxy.port, key: await stage.home.key(name) })

/** Runs a command through the proxy. */
const through = async (name: string, words: readonly string[]): Promise<SshResult> =>
  ssh(await target(name), words)

/** Stays connected through the proxy. */
async function stay(name: string): Promise<SshSession> {
  const session = openSsh({ ...(await target(name)), options: ['-T'] })
  await session.waitFor(/[-─]\S* lobby/)
  return session
}

const done = async (words: readonly string[]): Promise<void> => {
  const { exitCode, stderr } = await stage.as('rhea', words)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
}

/** Runs something while this network is banned. */
async function whileBanned(network: string, work: () => Promise<void>): Promise<void> {
  await done(['ban', network])
  try {
    await work()
  } finally {
    await done(['unban', network])
  }
}

const DB8 = '20010db8000000000000000000000009'

test.each([
  [
    'version 2',
    binaryHeader({ extras: extra(0x05, Buffer.alloc(16, 1)) }),
    binaryHeader({ place: ipv4Place('198.51.100.7') }),
    '203.0.113.0/24',
  ],
  [
    'version 2, IPv6',
    binaryHeader({ kind: 0x21, place: ipv6Place(DB8) }),
    binaryHeader({ kind: 0x21, place: ipv6Place(DB8.replace('db8', 'db9')) }),
    '2001:db8::/32',
  ],
])(
  'a ban of a network applies to the client address of the PROXY header: %s',
  async (_name, first, other, network) => {
    await whileBanned(network, async () => {
      header = first
      expect((await through('ann', ['whoami'])).stderr).toContain('Permission denied')
      header = other
      expect(await through('ann', ['whoami'])).toMatchObject({ stdout: 'ann (member)\n', exitCode: 0 })
    })
    header = first
    expect((await through('ann', ['whoami'])).exitCode).toBe(0)
  },
)

test('connections_per_address counts the client address of the PROXY header', async () => {
  header = binaryHeader()
  await using _one = await stay('ann')
  await using _two = await stay('bob')
  // OpenSSH prints what comes before the greeting only with -v.
  expect((await through('cleo', ['whoami'])).exitCode).toBe(255)
  header = binaryHeader({ place: ipv4Place('198.51.100.7') })
  await using _three = await stay('cleo')
  expect((await through('dora', ['whoami'])).exitCode).toBe(0)
})

test('the log has the client address of the PROXY header', async () => {
  header = binaryHeader({ place: ipv4Place('203.0.113.77') })
  await whileBanned('203.0.113.77', async () => void (await through('ann', ['whoami'])))
  expect(stage.server.stderr()).toMatch(/"address":"203\.0\.113\.77".*"msg":"login refused"/)
})

test.each([
  ['a socket of Unix', binaryHeader({ kind: 0x31, place: Buffer.alloc(216) })],
  ['an unspecified family', binaryHeader({ kind: 0, place: Buffer.alloc(0) })],
])(
  'a client without an address in the PROXY header has the address of the proxy: %s',
  async (_name, unknown) => {
    header = unknown
    await whileBanned('127.0.0.2', async () => {
      expect((await through('ann', ['whoami'])).stderr).toContain('Permission denied')
    })
    expect((await through('ann', ['whoami'])).exitCode).toBe(0)
  },
)

/** A connection from an address of the loopback. */
function dial(port: number, from: string): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  socket.on('error', () => undefined)
  return socket
}

/** All that the server says until it hangs up. */
async function heard(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece))
  await once(socket, 'close')
  return text
}

test('a PROXY header from a network that is not in proxies is not trusted', async () => {
  const before = stage.server.stderr()
  const socket = dial(stage.server.port, '127.0.0.3')
  socket.write(Buffer.concat([binaryHeader(), Buffer.from('SSH-2.0-x\r\n')]))
  expect(await heard(socket)).toContain(GREETING)
  const since = stage.server.stderr().slice(before.length)
  expect(since).not.toContain('"address":"203.0.113.9"')
})

test("a proxy's health check is answered and not logged", async () => {
  const before = stage.server.stderr()
  for (const place of [Buffer.alloc(0), ipv4Place('203.0.113.9')]) {
    const socket = dial(stage.server.port, '127.0.3.1')
    socket.write(binaryHeader({ command: 0x20, kind: 0, place }))
    expect(await heard(socket)).toBe(GREETING)
  }
  const plain = dial(stage.server.port, '127.0.3.1')
  plain.end()
  expect(await heard(plain)).toBe('')
  await done(['whoami'])
  const since = stage.server.stderr().slice(before.length).trim().split('\n')
  expect(since).toEqual([expect.stringContaining('"person":"rhea"')])
})

test('a PROXY header is accepted byte by byte', async () => {
  const socket = dial(stage.server.port, '127.0.0.2').setNoDelay()
  for (const byte of binaryHeader())
    await new Promise<void>((sent) => socket.write(Buffer.of(byte), () => sent()))
  const [greeting] = (await once(socket, 'data')) as [Buffer]
  expect(greeting.toString('latin1')).toContain(GREETING)
  socket.destroy()
})

test.each([
  ['no header', Buffer.from('SSH-2.0-x\r\n'), 'no PROXY header'],
  ['a length beyond all bounds', binaryHeader({ length: 65_535 }), 'more than 4096 bytes'],
  ['version 1', Buffer.from('PROXY UNKNOWN\r\n'), 'no PROXY header of version 2'],
])(
  'a proxy connection with %s is closed without an answer, and the reason is logged',
  async (_name, bytes, why) => {
    const from = stage.server.stderr().length
    const socket = dial(stage.server.port, '127.0.0.2')
    socket.write(bytes)
    expect(await heard(socket)).toBe('')
    await expect.poll(() => stage.server.stderr().slice(from)).toContain(why)
    expect(stage.server.stderr().slice(from)).toContain('"address":"127.0.0.2"')
  },
)

test('connections without a PROXY header time out and have a limit of their own', async () => {
  const limits = { connections: 2, login_timeout_s: 1 }
  await using server = await startSshServer(telling, limits, ['127.0.0.2'])
  const whys = () => server.logged.flatMap(({ facts }) => ('why' in facts && facts.why) || [])
  const waiting = [dial(server.port, '127.0.0.2'), dial(server.port, '127.0.0.2')]
  for (const socket of waiting) await once(socket, 'connect')
  waiting[0]?.write(binaryHeader().subarray(0, 20))
  await expect(heard(dial(server.port, '127.0.0.2'))).resolves.toBe('')
  expect(whys()).toEqual(['too many connections wait for their PROXY header'])

  const key = await stage.home.key('ann')
  expect((await ssh({ user: 'ann', port: server.port, key }, ['x'])).stdout).toBe('ann from 127.0.0.1')
  await Promise.all(waiting.map((socket) => heard(socket)))
  const late = 'no whole PROXY header in time'
  expect(whys()).toEqual(['too many connections wait for their PROXY header', late, late])
  await using behind = await startTcpProxy(server.port, () => binaryHeader())
  const result = await ssh({ user: 'ann', port: behind.port, key }, ['x'])
  expect(result.stdout).toBe('ann from 203.0.113.9')
})

test('32 clients that connect at once through one proxy all get the SSH greeting', async () => {
  const limits = { unauthenticated: 4, connections: 64, address_burst: 1_000 }
  await using server = await startSshServer(telling, limits, ['127.0.0.2'])
  let number = 0
  await using behind = await startTcpProxy(server.port, () =>
    binaryHeader({ place: ipv4Place(`198.51.${++number}.1`) }),
  )
  const greetings = Array.from({ length: 32 }, async () => {
    const socket = connect(behind.port, '127.0.0.1').on('error', () => undefined)
    const [greeting] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return greeting.toString('latin1', 0, 8)
  })
  expect(new Set(await Promise.all(greetings))).toEqual(new Set(['SSH-2.0-']))
})

test('a reload applies a changed list of proxies', async () => {
  await using later = await startTcpProxy(
    stage.server.port,
    () => binaryHeader({ place: ipv4Place('203.0.113.5') }),
    '127.0.0.9',
  )
  const come = async () =>
    ssh({ user: 'ann', port: later.port, key: await stage.home.key('ann') }, ['whoami'])
  expect((await come()).exitCode).toBe(255)
  const from = stage.server.stderr().length
  await writeConfig(stage.server.dataDir, CONFIG.replace('127.0.0.2', '127.0.0.9'))
  stage.server.process.kill('SIGHUP')
  await expect.poll(() => stage.server.stderr().slice(from)).toContain('"msg":"the config was read again"')
  expect(await come()).toMatchObject({ stdout: 'ann (member)\n' })
  expect((await through('ann', ['whoami'])).exitCode).toBe(255)
})

const SAMPLE = join(import.meta.dirname, '../../docs/deploy/haproxy.cfg')

/** HAProxy with the sample config, on a free port of the loopback, before one server with these ports. */
async function startHaproxy(server: { readonly ssh: number; readonly http: number }) {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-haproxy-'))
  const file = join(dir, 'haproxy.cfg')
  const sample = await readFile(SAMPLE, 'utf8')
  const config = sample
    .replace('defaults\n', 'defaults\n    log stdout format raw daemon\n    option log-health-checks\n')
    .replace('bind :22', 'bind fd@3')
    .replace('server one 10.0.0.11:2222', `server one 127.0.0.1:${server.ssh}`)
    .replace('check port 2223', `check port ${server.http}`)
    .replace(/^ *server two.*\n/m, '')
  await writeFile(file, config)
  // It takes over a socket that listens already, because it cannot tell which free port it took.
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const fd = (listener as Server & { readonly _handle: { readonly fd: number } })._handle.fd
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe', fd] })
  listener.close()
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close')
  return {
    port,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true })
    },
  }
}

test.skipIf(lacks('haproxy'))(
  'HAProxy with the sample config forwards client addresses and follows /readyz',
  async () => {
    await using home = await createSshHome()
    await using server = await startSshServer(telling, {}, ['127.0.0.1'])
    await using http = await serveMcp(() => Promise.resolve(new Response()))
    await using haproxy = await startHaproxy({ ssh: server.port, http: http.port })
    const key = await home.key('ann')
    const target = { user: 'ann', port: haproxy.port, key, options: ['-b', '127.0.5.1'] }
    expect(await ssh(target, ['x'])).toMatchObject({ stdout: 'ann from 127.0.5.1', exitCode: 0 })
    await expect
      .poll(haproxy.said, { timeout: 10_000 })
      .toMatch(/one succeeded.*Layer7 check passed.*code: 200/)
    expect(server.logged.map(({ text }) => text)).toEqual(['login'])
    http.drain()
    await expect.poll(haproxy.said, { timeout: 10_000 }).toMatch(/one failed.*code: 503[^]*one is DOWN/)
    expect((await ssh(target, ['x'])).exitCode).toBe(255)
  },
)
