import { createPublicKey, verify } from 'node:crypto'
import { ssh2 } from '../ssh2.ts'
import { plainEcdsa, readStrings } from './ssh-strings.ts'

/** What a signature's algorithm wants: the key's type, the hash, and for ECDSA the bytes of each of its two integers. */
interface Scheme {
  readonly keyType: string
  readonly hash: string | null
  readonly integerBytes?: number
}

/** SHA-1, which `ssh-rsa` means in a signature, is left out. */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  'ssh-ed25519': { keyType: 'ssh-ed25519', hash: null },
  'ecdsa-sha2-nistp256': { keyType: 'ecdsa-sha2-nistp256', hash: 'sha256', integerBytes: 32 },
  'ecdsa-sha2-nistp384': { keyType: 'ecdsa-sha2-nistp384', hash: 'sha384', integerBytes: 48 },
  'ecdsa-sha2-nistp521': { keyType: 'ecdsa-sha2-nistp521', hash: 'sha512', integerBytes: 66 },
  'rsa-sha2-256': { keyType: 'ssh-rsa', hash: 'sha256' },
  'rsa-sha2-512': { keyType: 'ssh-rsa', hash: 'sha512' },
}

/** True if a signature in wire form (RFC 4253, section 6.6) over `data` is by this public key, also in wire form. */
export function verifySignature(key: Buffer, data: Buffer, signature: Buffer): boolean {
  const [algorithm, bytes, ...more] = readStrings(signature) ?? []
  const name = algorithm?.toString('latin1') ?? ''
  const scheme = Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined
  const parsed = ssh2.utils.parseKey(key)
  if (!scheme || !bytes || more.length > 0 || parsed instanceof Error || parsed.type !== scheme.keyType)
    return false
  const { hash, integerBytes } = scheme
  const raw = integerBytes === undefined ? bytes : plainEcdsa(bytes, integerBytes)
  const publicKey = createPublicKey(parsed.getPublicPEM())
  return raw !== undefined && verify(hash, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)
}
