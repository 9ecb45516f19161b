import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js'
import ssh2, { type Connection } from 'ssh2'
import { expect, test } from 'vitest'
import {
  HYBRID,
  makeHybrid,
  patchKeyExchanges,
  quicken,
  type Exchange,
} from '../../../../src/ssh/ssh2/key-exchange.ts'
import { makeKey } from '../../../support/load/keys.ts'
import { firstMessage, guess } from '../../../support/raw-handshake.ts'

/** An exchange with keys of its own, as ssh2 has it. */
function exchange(keys = generateKeyPairSync('x25519')): Exchange {
  const one: Exchange = {
    type: '25519',
    _keys: keys,
    generateKeys: () => undefined,
    getPublicKey: () => expect.unreachable(),
    convertPublicKey: () => expect.unreachable(),
    computeSecret: () => expect.unreachable(),
  }
  quicken(one)
  return one
}

/** The raw bytes behind twelve of DER. */
const rawOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' }).subarray(-32)
const DER_BEFORE_POINT = Buffer.from('302a300506032b656e032100', 'hex')
const derKey = (point: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([DER_BEFORE_POINT, point]), type: 'spki', format: 'der' })

/** RFC 4251's number, counted from the number itself. */
function numberBytes(secret: Buffer): string {
  const hex = BigInt(`0x${secret.toString('hex')}`).toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return /^[89a-f]/.test(even) ? `00${even}` : even
}

test('both sides compute the secret that OpenSSL computes from DER keys, encoded as an mpint', () => {
  const seen = new Set<number>()
  // One secret in 256 begins with a zero.
  for (let tries = 0; tries < 20_000 && !(tries >= 200 && seen.has(31)); tries += 1) {
    const [ours, theirs] = [exchange(), exchange()]
    expect(ours.getPublicKey()).toEqual(rawOf(ours._keys!.publicKey))
    const privateKey = ours._keys!.privateKey
    const raw = diffieHellman({ privateKey, publicKey: derKey(theirs.getPublicKey()) })
    const secret = ours.computeSecret(theirs.getPublicKey())
    expect(secret).toEqual(theirs.computeSecret(ours.getPublicKey()))
    expect((secret as Buffer).toString('hex')).toBe(numberBytes(raw))
    seen.add((secret as Buffer).length)
  }
  expect([...seen]).toEqual(expect.arrayContaining([31, 32, 33]))
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a byte too few', Buffer.alloc(31, 9)],
  ['a byte too many', Buffer.alloc(33, 9)],
  ['a point of small order, with which every secret is zero', Buffer.alloc(32)],
  ['another', Buffer.concat([Buffer.of(1), Buffer.alloc(31)])],
])('a public key that is %s gives an error instead of a secret', (_, point) => {
  expect(exchange().computeSecret(point)).toBeInstanceOf(Error)
})

/** https://c2sp.org/CCTV/ML-KEM: the accumulated vectors of 100 keys, with a stream of SHAKE-128 as random bytes. */
test('ML-KEM-768 gives the keys, ciphertexts and secrets of the known vectors', () => {
  const random = createHash('shake128', { outputLength: 100 * (64 + 32 + 1088) }).digest()
  let at = 0
  const next = (bytes: number): Buffer => random.subarray(at, (at += bytes))
  const seen = createHash('shake128', { outputLength: 32 })
  for (let round = 0; round < 100; round += 1) {
    const { publicKey, secretKey } = ml_kem768.keygen(next(64))
    const { cipherText, sharedSecret } = ml_kem768.encapsulate(publicKey, next(32))
    seen.update(publicKey).update(cipherText).update(sharedSecret)
    seen.update(ml_kem768.decapsulate(next(1088), secretKey))
  }
  expect(seen.digest('hex')).toBe('1114b1b6699ed191734fa339376afa7e285c9e6acf6ff0177d346696ce564415')
})

/** The keys of RFC 7748, section 6.1: Alice is the client. */
const ALICE_POINT = '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a'
const BOB_POINT = 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f'
const BOB_SECRET = '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'

function bob(): Exchange {
  const [d, x] = [BOB_SECRET, BOB_POINT].map((hex) => Buffer.from(hex, 'hex').toString('base64url'))
  const jwk = { kty: 'OKP', crv: 'X25519', d: d!, x: x! }
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  return exchange({ privateKey, publicKey: createPublicKey(privateKey) })
}

const { publicKey: encapsulationKey } = ml_kem768.keygen(Buffer.from(Array.from({ length: 64 }, (_, i) => i)))
const FIRST_MESSAGE = Buffer.concat([encapsulationKey, Buffer.from(ALICE_POINT, 'hex')])

test('the hybrid key exchange gives the secret that OpenSSL 3.5 computes from the same keys', () => {
  const hybrid = bob()
  makeHybrid(hybrid, Buffer.alloc(32, 0x53))
  expect(hybrid.convertPublicKey(FIRST_MESSAGE)).toBe(FIRST_MESSAGE)
  // OpenSSL decapsulated the ciphertext, and the classic secret is that of the RFC: SHA-256 of both.
  const secret = '4517b130befbaf94b2f9f9176eb54f4cbca3add5f92239b9ae7a020e5b088db9'
  expect((hybrid.computeSecret(FIRST_MESSAGE) as Buffer).toString('hex')).toBe(secret)
  const reply = hybrid.getPublicKey()
  expect([reply.length, reply.subarray(1088).toString('hex')]).toEqual([1120, BOB_POINT])
})

test('the hybrid key exchange gives both sides one secret', () => {
  const [client, server] = [exchange(), exchange()]
  const { publicKey, secretKey } = ml_kem768.keygen()
  makeHybrid(server)
  const secret = server.computeSecret(Buffer.concat([publicKey, client.getPublicKey()]))
  const reply = server.getPublicKey()
  const classic = diffieHellman({
    privateKey: client._keys!.privateKey,
    publicKey: derKey(reply.subarray(1088)),
  })
  const shared = ml_kem768.decapsulate(reply.subarray(0, 1088), secretKey)
  expect(secret).toEqual(createHash('sha256').update(shared).update(classic).digest())
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['the point alone', FIRST_MESSAGE.subarray(1184)],
  ['a byte too few', FIRST_MESSAGE.subarray(1)],
  ['a byte too many', Buffer.concat([FIRST_MESSAGE, Buffer.of(1)])],
  ['a point of small order', Buffer.concat([encapsulationKey, Buffer.alloc(32)])],
  ['numbers beyond the modulus (FIPS 203, section 7.2)', Buffer.alloc(1216, 0xff)],
])('a first message of the hybrid key exchange that is %s gives an error', (_, message) => {
  const hybrid = exchange()
  makeHybrid(hybrid)
  expect(hybrid.computeSecret(message)).toBeInstanceOf(Error)
})

/** A server with mended exchanges, on the loopback. */
async function startServer() {
  const connections: Connection[] = []
  const server = new ssh2.Server({ hostKeys: [makeKey()] }, (connection) => {
    connections.push(connection)
    patchKeyExchanges(connection)
    connection.on('authentication', (login) => login.accept())
    connection.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const kex = (): Exchange => (connections[0] as unknown as { _protocol: { _kex: Exchange } })._protocol._kex
  return { port, connections, kex, [Symbol.dispose]: () => void server.close() }
}

test('a client exchanges keys at login and again on a rekey', async () => {
  using server = await startServer()
  const { port, connections, kex } = server
  const client = new ssh2.Client()
  client.connect({ host: '127.0.0.1', port, username: 'ann', algorithms: { kex: ['curve25519-sha256'] } })
  await once(client, 'ready')
  const first = kex()
  expect(first.getPublicKey()).toHaveLength(32)
  expect(Object.hasOwn(first, 'computeSecret')).toBe(true)
  await new Promise<void>((resolve) => connections[0]!.rekey(() => resolve()))
  expect(kex()).not.toBe(first)
  expect(Object.hasOwn(kex(), 'computeSecret')).toBe(true)
  client.end()
})

/** The number of each message that the server sends before it encrypts. */
async function* messages(socket: AsyncIterable<Buffer>): AsyncGenerator<number> {
  let heard = Buffer.alloc(0)
  for await (const piece of socket) {
    heard = Buffer.concat([heard, piece])
    if (heard.indexOf('\n') < 0) continue
    if (heard.toString('latin1', 0, 4) === 'SSH-') heard = heard.subarray(heard.indexOf('\n') + 1)
    while (heard.length >= 4 && heard.length >= 4 + heard.readUInt32BE()) {
      yield heard[5]!
      heard = heard.subarray(4 + heard.readUInt32BE())
    }
  }
}

async function hear(port: number, sent: Buffer, until: number): Promise<readonly number[]> {
  const socket = connect(port, '127.0.0.1')
  socket.write(sent)
  const heard: number[] = []
  for await (const message of messages(socket)) {
    heard.push(message)
    if (message === until) break
  }
  return heard
}

const [KEXINIT, KEX_REPLY] = [20, 31]

test('the first key exchange message of a client with a right guess is answered', async () => {
  using server = await startServer()
  expect(await hear(server.port, guess(HYBRID, FIRST_MESSAGE), KEX_REPLY)).toEqual([KEXINIT, KEX_REPLY])
})

test('the first key exchange message of a client with a wrong guess is ignored', async () => {
  using server = await startServer()
  const point = Buffer.from(ALICE_POINT, 'hex')
  const sent = guess('curve25519-sha256', Buffer.alloc(3))
  const answer = hear(server.port, Buffer.concat([sent, firstMessage(point)]), KEX_REPLY)
  expect(await answer).toEqual([KEXINIT, KEX_REPLY])
})

test('an ssh2 without its key exchange in the expected property is detected', () => {
  expect(() => patchKeyExchanges({ _protocol: {} } as unknown as Connection)).toThrow('ssh2 has changed')
})
