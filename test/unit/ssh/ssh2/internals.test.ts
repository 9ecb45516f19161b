import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSftpCodec } from '../../../../src/ssh/ssh2/sftp-codec.ts'
import { ssh2 } from '../../../../src/ssh/ssh2/library.ts'
import { makeKey } from '../../../support/load/keys.ts'

const PAGE = new URL('../../../../docs/internals/ssh2.md', import.meta.url)
const { version } = createRequire(import.meta.url)('ssh2/package.json') as { version: string }

/** What a failed test says. */
const changed = (how: string): string =>
  `ssh2 ${version} has changed: ${how}, and src/ssh/ssh2 relies on it (docs/internals/ssh2.md)`

type Fields = Record<string, unknown>

/** The value of a field of a field, undefined if one of them is missing. */
const valueAt = (root: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], root)

/** A buffer, an array, null, or the type. */
function kindOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return 'buffer'
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

const LISTS = [
  'kex',
  'serverHostKey',
  ...['cs', 'sc'].flatMap((way) => ['cipher', 'mac', 'compress', 'lang'].map((name) => `${way}.${name}`)),
]

/** By moment: the fields that `src/ssh/ssh2` uses, each with the kind of its value. */
const USED = {
  'a new connection': {
    ...{ _sock: 'object', '_chanMgr.get': 'function', '_protocol._kex': 'undefined' },
    '_protocol._skipNextInboundPacket': 'boolean',
    '_protocol._handlers.CHANNEL_OPEN': 'function',
    '_protocol._handlers.CHANNEL_DATA': 'function',
    '_protocol._handlers.CHANNEL_WINDOW_ADJUST': 'function',
    ...{ '_protocol.ping': 'function', '_protocol.parse': 'function' },
    '_protocol.channelOpenFail': 'function',
    '_protocol.channelData': 'function',
    '_protocol.channelExtData': 'function',
    '_protocol._cipher.encrypt': 'function',
    '_protocol._packetRW.read.read': 'function',
    '_protocol._packetRW.write.alloc': 'function',
    '_protocol._packetRW.write.finalize': 'function',
    '_protocol._packetRW.write.allocStartKEX': 'number',
    '_protocol._offer.lists.kex.array': 'array',
    '_protocol._offer.lists.serverHostKey.array': 'array',
    ...Object.fromEntries(LISTS.map((list) => [`_protocol._offer.lists.${list}.buffer`, 'buffer'])),
  },
  'a connection that exchanges keys': { '_protocol._kexinit': 'buffer' },
  'a connection after its key exchange': { '_protocol._kexinit': 'undefined' },
  'a new key exchange': {
    ...{ type: 'string', _remoteKexinit: 'buffer', _keys: 'null', generateKeys: 'function' },
    ...{ getPublicKey: 'function', convertPublicKey: 'function', computeSecret: 'function' },
  },
  'a key exchange with keys': { '_keys.publicKey': 'object', '_keys.privateKey': 'object' },
  'a session': { '_channel.incoming.window': 'number', '_channel.outgoing.window': 'number' },
  'a channel': {
    ...{ 'outgoing.id': 'number', 'outgoing.window': 'number', 'outgoing.packetSize': 'number' },
    ...{ 'outgoing.state': 'string', 'incoming.window': 'number' },
    ...{ '_client._sock': 'object', '_client._protocol': 'object' },
  },
  'an SFTP server': { push: 'function' },
} as const satisfies Record<string, Record<string, string>>

type Moment = keyof typeof USED

/** Functions that `src/ssh/ssh2` replaces, and fields that it watches, of a connection. */
const REPLACED = [
  '_protocol.parse',
  '_protocol.ping',
  '_protocol._handlers.CHANNEL_OPEN',
  '_protocol._handlers.CHANNEL_DATA',
  '_protocol._handlers.CHANNEL_WINDOW_ADJUST',
  '_protocol._handlers.REQUEST_FAILURE',
]
const ASSIGNED = ['_protocol._kex', '_protocol._packetRW.read']

const seen = new Map<string, string>()
const used = new Set<string>()

function look(moment: Moment, root: unknown): void {
  for (const path of Object.keys(USED[moment])) seen.set(`${moment}: ${path}`, kindOf(valueAt(root, path)))
}

function split(root: unknown, path: string): readonly [Fields, string] {
  const end = path.lastIndexOf('.')
  return [(valueAt(root, path.slice(0, end)) ?? {}) as Fields, path.slice(end + 1)]
}

/** Notes each call of a connection's functions, and each value that ssh2 assigns to its fields. */
function watch(connection: Connection): void {
  for (const path of REPLACED) {
    const [owner, name] = split(connection, path)
    const usual = owner[name] as ((...args: unknown[]) => unknown) | undefined
    owner[name] = function call(this: unknown, ...args: unknown[]) {
      used.add(path)
      return usual?.apply(this, args)
    }
  }
  for (const path of ASSIGNED) {
    const [owner, name] = split(connection, path)
    let current = owner[name]
    Object.defineProperty(owner, name, {
      get: () => current,
      set(value: unknown) {
        used.add(path)
        current = value
        if (name === '_kex') look('a new key exchange', value)
      },
    })
  }
}

const server = new ssh2.Server({ hostKeys: [makeKey()], keepaliveInterval: 20, keepaliveCountMax: 1_000 })
const client = new ssh2.Client()

beforeAll(async () => {
  const opened = new Promise<ServerChannel>((resolve) => {
    server.on('connection', (connection) => {
      look('a new connection', connection)
      watch(connection)
      connection.on('error', () => undefined)
      connection.on('authentication', (login) => login.accept())
      connection.on('session', (accept) => {
        const session = accept()
        session.on('exec', (start) => {
          const channel = start()
          look('a session', session)
          look('a channel', channel)
          look('a connection after its key exchange', connection)
          look('a key exchange with keys', valueAt(connection, '_protocol._kex'))
          connection.rekey()
          look('a connection that exchanges keys', connection)
          resolve(channel)
        })
      })
    })
  })
  look(
    'an SFTP server',
    createSftpCodec(
      () => undefined,
      () => undefined,
    ),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  client.connect({ host: '127.0.0.1', port, username: 'ann', algorithms: { kex: ['curve25519-sha256'] } })
  await once(client, 'ready')
  client.exec('anything', (_error, channel) => {
    channel.write('typed')
    // So much output makes the client open its window again.
    channel.resume()
    void opened.then((ours) => ours.write(Buffer.alloc(4 * 1024 * 1024)))
  })
  await opened
})

afterAll(() => {
  client.destroy()
  server.close()
})

const rows = Object.entries(USED).flatMap(([moment, fields]) =>
  Object.entries(fields).map(([path, kind]) => ({ moment, path, kind })),
)

test.each(rows)(
  'the field $path of $moment is of the kind $kind in the installed ssh2',
  ({ moment, path, kind }) => {
    const found = seen.get(`${moment}: ${path}`) ?? 'nothing, because ssh2 never came that far'
    const why = changed(`${path} of ${moment} is ${found} instead of ${kind}`)
    expect(found, why).toBe(kind)
  },
)

test.each([
  ...REPLACED.map((path) => [path, 'calls'] as const),
  ...ASSIGNED.map((path) => [path, 'assigns'] as const),
])('a replaced %s of a connection is the one that ssh2 %s', async (path, does) => {
  const message = changed(`it no longer ${does} ${path} of a connection`)
  await expect.poll(() => used.has(path), { message }).toBe(true)
})

test("the page of ssh2's internals names the installed version and each field's last name", async () => {
  const page = await readFile(PAGE, 'utf8')
  const read = /read them in \*\*ssh2 (\S+)\*\*/.exec(page)?.[1]
  expect(version, `docs/internals/ssh2.md was written for ssh2 ${read}: read its changes`).toBe(read)
  const names = [...rows.map(({ path }) => path), ...REPLACED].map((path) => path.split('.').at(-1)!)
  const lists = ['serverHostKey', 'cipher', 'mac', 'compress', 'lang', 'publicKey', 'privateKey']
  expect(names.filter((name) => !lists.includes(name) && !page.includes(name))).toEqual([])
})
