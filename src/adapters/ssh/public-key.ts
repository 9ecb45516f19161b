import { createHash, createPublicKey } from 'node:crypto'
import ssh2, { type PublicKeyAuthContext } from 'ssh2'
import type { Fingerprint } from '../../chat/people/person.ts'
import type { OfferedKey } from '../../session/ports.ts'
import { readSecurityKey } from './security-key.ts'

/** A key that a client offers, and the check of signatures that its kind needs. */
export interface LoginKey extends OfferedKey {
  /** True if the signature of this attempt is right. Never throws. */
  proves(attempt: PublicKeyAuthContext): boolean
}

/** `SHA256:` and the unpadded base64 of the digest of a public key in SSH wire form, as `ssh-keygen -lf` prints it. */
export function fingerprintOf(publicKey: Uint8Array): Fingerprint {
  const digest = createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')
  return `SHA256:${digest}` as Fingerprint
}

const CURVE_ALGORITHM = /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521))$/

/** The key of this attempt, if it is of a kind that we take: Ed25519, ECDSA, RSA of 2048 bits and more with SHA-2, sk-. */
export function readLoginKey({ key, hashAlgo }: PublicKeyAuthContext): LoginKey | undefined {
  const facts = { fingerprint: fingerprintOf(key.data), algorithm: key.algo }
  if (key.algo.startsWith('sk-')) {
    const verify = readSecurityKey(key)
    return (
      verify && {
        ...facts,
        proves: ({ blob, signature }) => !!blob && !!signature && verify(blob, signature),
      }
    )
  }
  const parsed = ssh2.utils.parseKey(key.data)
  if (parsed instanceof Error || parsed.type !== key.algo || parsed.isPrivateKey()) return undefined
  if (!CURVE_ALGORITHM.test(key.algo) && !isStrongRsa(key.algo, hashAlgo, parsed.getPublicPEM()))
    return undefined
  return {
    ...facts,
    proves: ({ blob, signature }) =>
      !!blob && !!signature && isTrue(parsed.verify(blob, signature, hashAlgo)),
  }
}

/** ssh2 returns an Error where it cannot verify. Its types do not say so, and an Error is truthy. */
const isTrue = (verdict: unknown): boolean => verdict === true

const MIN_RSA_BITS = 2048
/** A longer key would only cost time to verify. */
const MAX_RSA_BITS = 16_384

/** ssh2 sets no hash for `ssh-rsa`, which would be SHA-1. */
function isStrongRsa(algorithm: string, hash: string | undefined, pem: string): boolean {
  if (algorithm !== 'ssh-rsa' || (hash !== 'sha256' && hash !== 'sha512')) return false
  const bits = createPublicKey(pem).asymmetricKeyDetails?.modulusLength ?? 0
  return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS
}
