import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh2, { type Connection } from 'ssh2'
import { expect, test } from 'vitest'
import {
  quicken,
  quickenKeyExchanges,
  type Exchange,
} from '../../../../src/adapters/ssh/ssh2-key-exchange.ts'
import { makeKey } from '../../../support/load/keys.ts'

/** An exchange with keys of its own, as ssh2 has it. */
function exchange(): Exchange {
  const keys = generateKeyPairSync('x25519')
  const one: Exchange = {
    type: '25519',
    _keys: keys,
    generateKeys: () => undefined,
    getPublicKey: () => expect.unreachable(),
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

test('both sides have the secret that OpenSSL finds with the keys as DER, as the number that the protocol wants', () => {
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
])('%s as a public key is an error, and no secret', (_, point) => {
  expect(exchange().computeSecret(point)).toBeInstanceOf(Error)
})

test('a client exchanges keys, and again when that is asked for', async () => {
  const connections: Connection[] = []
  const kex = (): Exchange => (connections[0] as unknown as { _protocol: { _kex: Exchange } })._protocol._kex
  const server = new ssh2.Server({ hostKeys: [makeKey()] }, (connection) => {
    connections.push(connection)
    quickenKeyExchanges(connection)
    connection.on('authentication', (login) => login.accept())
    connection.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new ssh2.Client()
  try {
    const { port } = server.address() as AddressInfo
    client.connect({
      host: '127.0.0.1',
      port,
      username: 'ann',
      algorithms: { kex: ['curve25519-sha256'] },
    })
    await once(client, 'ready')
    const first = kex()
    expect(first.getPublicKey()).toHaveLength(32)
    expect(Object.hasOwn(first, 'computeSecret')).toBe(true)
    await new Promise<void>((resolve) => connections[0]!.rekey(() => resolve()))
    expect(kex()).not.toBe(first)
    expect(Object.hasOwn(kex(), 'computeSecret')).toBe(true)
  } finally {
    client.end()
    server.close()
  }
})

test('an ssh2 that keeps its exchanges elsewhere is noticed', () => {
  expect(() => quickenKeyExchanges({ _protocol: {} } as unknown as Connection)).toThrow('ssh2 has changed')
})
