import { type KeyObject, createHash, generateKeyPairSync, sign, verify } from 'node:crypto'
import ssh2, { type PublicKeyAuthContext } from 'ssh2'
import { expect, test } from 'vitest'
import { ed25519Key, readSecurityKey, signingKey } from '../../../../src/ssh/keys/signature.ts'
import { readLoginKey } from '../../../../src/ssh/keys/public-key.ts'
import { readStrings, writeStrings } from '../../../../src/ssh/keys/wire.ts'
import { newKey } from '../../../support/ssh2-client.ts'

const USE = { name: 'ann', address: '127.0.0.1', at: 0, cas: [] }
/** No certificate is tried here. */
const unused = (why: string): never => expect.fail(why)
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const point = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
const blob = Buffer.from('what SSH wants signed')

/** An attempt with that key in wire form, as ssh2 hands it over. */
const attempt = (data: Buffer, signature?: Buffer): PublicKeyAuthContext =>
  ({ key: { algo: 'ssh-ed25519', data }, blob, signature }) as unknown as PublicKeyAuthContext

test('a login key is proven only by a valid signature of its Ed25519 key', () => {
  const data = writeStrings(Buffer.from('ssh-ed25519'), point)
  const key = readLoginKey(attempt(data), USE, unused)
  expect(key?.fingerprint).toMatch(/^SHA256:/)
  const signature = sign(null, blob, privateKey)
  expect(key?.proves(attempt(data, signature))).toBe(true)
  expect(key?.proves(attempt(data))).toBe(false)
  expect(key?.proves(attempt(data, Buffer.alloc(64)))).toBe(false)
  expect(key?.proves(attempt(data, signature.subarray(1)))).toBe(false)
  expect(key?.proves(attempt(data, Buffer.alloc(0)))).toBe(false)
})

test.each([
  ['a short point', writeStrings(Buffer.from('ssh-ed25519'), point.subarray(1))],
  ['a long point', writeStrings(Buffer.from('ssh-ed25519'), Buffer.concat([point, point]))],
  ['another type inside', writeStrings(Buffer.from('ssh-rsa'), point)],
  ['a field too many', writeStrings(Buffer.from('ssh-ed25519'), point, Buffer.from('x'))],
  ['no point', writeStrings(Buffer.from('ssh-ed25519'))],
  ['nothing', Buffer.alloc(0)],
])('an Ed25519 login key with %s is refused', (_, data) => {
  expect(readLoginKey(attempt(data), USE, unused)).toBeUndefined()
})

test('the public half of a host key verifies its signature', () => {
  const key = signingKey(newKey().pem)
  const publicPart = ed25519Key(readStrings(key.getPublicSSH())![1]!)!
  expect(verify(null, blob, publicPart, key.sign(blob))).toBe(true)
  expect(() => signingKey('no key')).toThrow()
})

test('an ECDSA host key makes a signature that ssh2 verifies', () => {
  const { privateKey: pem } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  })
  const key = signingKey(pem)
  expect(key.type).toBe('ecdsa-sha2-nistp256')
  const other = ssh2.utils.parseKey(pem)
  if (other instanceof Error) throw other
  expect(other.verify(blob, key.sign(blob))).toBe(true)
})

/** A field of SSH's wire format: length and bytes. */
function field(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()

/** What a token signs (PROTOCOL.u2f of OpenSSH), and the flags and counter that follow its signature. */
function tokenSigns(data: Buffer, flags: number) {
  const tail = Buffer.from([flags, 0, 0, 0, 7])
  return { tail, message: Buffer.concat([sha256('ssh:'), tail, sha256(data)]) }
}

function ed25519Token() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algo = 'sk-ssh-ed25519@openssh.com'
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  return {
    key: { algo, data: Buffer.concat([field(algo), field(point), field('ssh:')]) },
    sign(data: Buffer, flags: number) {
      const { tail, message } = tokenSigns(data, flags)
      return Buffer.concat([sign(null, message, privateKey), tail])
    },
  }
}

function ecdsaToken() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algo = 'sk-ecdsa-sha2-nistp256@openssh.com'
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
  return {
    key: { algo, data: Buffer.concat([field(algo), field('nistp256'), field(point), field('ssh:')]) },
    sign(data: Buffer, flags: number) {
      const { tail, message } = tokenSigns(data, flags)
      return Buffer.concat([...numbersOf(message, privateKey), tail])
    },
  }
}

/** r and s as SSH's positive integers of minimal length. */
function numbersOf(message: Buffer, key: KeyObject): Buffer[] {
  const plain = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' })
  return [plain.subarray(0, 32), plain.subarray(32)].map((number) => {
    const short = number.subarray(number.findIndex((byte) => byte !== 0))
    return field(short[0]! & 0x80 ? Buffer.concat([Buffer.of(0), short]) : short)
  })
}

test.each([
  ['Ed25519', ed25519Token],
  ['ECDSA', ecdsaToken],
])(
  'a signature of an %s security key is accepted only if it is valid and its user was present',
  (_label, makeToken) => {
    const token = makeToken()
    const verify = readSecurityKey(token.key)!
    const data = Buffer.from('session')
    // Many, because the two numbers of an ECDSA signature differ in length now and then.
    for (let i = 0; i < 200; i++) expect(verify(data, token.sign(data, 1))).toBe(true)
    const right = token.sign(data, 1)
    expect(verify(Buffer.from('other'), right)).toBe(false)
    expect(verify(data, token.sign(data, 0))).toBe(false)
    expect(verify(data, makeToken().sign(data, 1))).toBe(false)
    for (let length = 0; length < right.length; length++)
      expect(verify(data, right.subarray(0, length))).toBe(false)
    expect(verify(data, Buffer.concat([right, Buffer.of(0)]))).toBe(false)
  },
)

test.each([
  [
    'of another kind than it says',
    (data: Buffer) => Buffer.concat([field('ssh-ed25519'), data.subarray(30)]),
  ],
  ['cut', (data: Buffer) => data.subarray(0, data.length - 1)],
  ['followed by more', (data: Buffer) => Buffer.concat([data, Buffer.of(1)])],
  ['empty', () => Buffer.alloc(0)],
])('a security key that is %s is refused', (_label, spoil) => {
  for (const { key } of [ed25519Token(), ecdsaToken()])
    expect(readSecurityKey({ algo: key.algo, data: spoil(key.data) })).toBeUndefined()
})

test('an ECDSA security key with a point that is not on the curve is refused', () => {
  const { key } = ecdsaToken()
  const data = Buffer.from(key.data)
  data[data.length - 9]! ^= 1
  expect(readSecurityKey({ algo: key.algo, data })).toBeUndefined()
})
