import { generateKeyPairSync, sign, verify } from 'node:crypto'
import ssh2, { type PublicKeyAuthContext } from 'ssh2'
import { expect, test } from 'vitest'
import { ed25519Key, signingKey } from '../../../../../src/adapters/ssh/keys/signature.ts'
import { readLoginKey } from '../../../../../src/adapters/ssh/keys/public-key.ts'
import { readStrings, writeStrings } from '../../../../../src/adapters/ssh/keys/wire.ts'
import { newKey } from '../../../../support/ssh2-client.ts'

const USE = { name: 'ann', address: '127.0.0.1', at: 0, cas: [] }
/** No certificate is tried here. */
const unused = (why: string): never => expect.fail(why)
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const point = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
const blob = Buffer.from('what SSH wants signed')

/** An attempt with that key in wire form, as ssh2 hands it over. */
const attempt = (data: Buffer, signature?: Buffer): PublicKeyAuthContext =>
  ({ key: { algo: 'ssh-ed25519', data }, blob, signature }) as unknown as PublicKeyAuthContext

test('the owner of an Ed25519 key proves it, and nobody else', () => {
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
])('a key with %s is none', (_, data) => {
  expect(readLoginKey(attempt(data), USE, unused)).toBeUndefined()
})

test('a host key signs what its public half verifies', () => {
  const key = signingKey(newKey().pem)
  const publicPart = ed25519Key(readStrings(key.getPublicSSH())![1]!)!
  expect(verify(null, blob, publicPart, key.sign(blob))).toBe(true)
  expect(() => signingKey('no key')).toThrow()
})

test('a host key of another kind signs as ssh2 does it', () => {
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
