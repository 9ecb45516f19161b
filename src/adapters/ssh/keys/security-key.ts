import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ed25519Key } from './ed25519.ts'
import { plainEcdsa, readStrings } from './ssh-strings.ts'

/**
 * Keys that live in a hardware token, which ssh2 does not know (it hands over the key and the signature
 * unread). Formats: OpenSSH's PROTOCOL.u2f. What the token signs is
 * SHA256(application) || flags || counter || SHA256(what SSH wants signed).
 */

/** True if the signature over `data` is right and the token saw its user's touch. */
export type VerifySecurityKey = (data: Buffer, signature: Buffer) => boolean

/** Of each integer of a signature. */
const P256_BYTES = 32

/** The flag that the token saw its user's touch. */
const USER_PRESENT = 0x01
/** Flags (1 byte) and counter (4 bytes) after the signature proper. */
const TRAILER_BYTES = 5

/** The check for a key blob of one of the two sk- kinds; undefined for any other, or a malformed one. */
export function readSecurityKey(key: {
  readonly algo: string
  readonly data: Buffer
}): VerifySecurityKey | undefined {
  const [kind, ...fields] = readStrings(key.data) ?? []
  if (kind?.toString('latin1') !== key.algo) return undefined
  const application = fields.pop()
  const point = fields.pop()
  if (!application || !point) return undefined
  if (key.algo === 'sk-ssh-ed25519@openssh.com' && fields.length === 0 && point.length === 32)
    return verifier(ed25519Key(point), application, null, (signature) => signature)
  // The field that is left is the name of the curve.
  if (key.algo === 'sk-ecdsa-sha2-nistp256@openssh.com' && fields.length === 1 && point.length === 65)
    return verifier(p256Key(point), application, 'sha256', (signature) => plainEcdsa(signature, P256_BYTES))
  return undefined
}

function verifier(
  key: KeyObject | undefined,
  application: Buffer,
  hash: string | null,
  unpack: (signature: Buffer) => Buffer | undefined,
): VerifySecurityKey | undefined {
  if (!key) return undefined
  return (data, blob) => {
    const tail = blob.subarray(-TRAILER_BYTES)
    const signature = unpack(blob.subarray(0, -TRAILER_BYTES))
    if (tail.length < TRAILER_BYTES || !signature || !(tail.readUInt8(0) & USER_PRESENT)) return false
    const signed = Buffer.concat([sha256(application), tail, sha256(data)])
    return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
  }
}

/** An uncompressed point: 0x04, x, y. */
const p256Key = (point: Buffer): KeyObject | undefined =>
  importKey({
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  })

function importKey(key: {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y?: string
}) {
  try {
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    return undefined
  }
}

const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest()
