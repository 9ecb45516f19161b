import { createPublicKey } from 'node:crypto'
import ssh2 from 'ssh2'
import type { PublicKeyAuthContext } from 'ssh2'
import type { OfferedKey } from '../../session/ports.ts'
import { fingerprintOf } from './fingerprint.ts'
import { readSecurityKey } from './security-key.ts'

/** A key a client offers, and the check that belongs to its kind. */
export interface LoginKey extends OfferedKey {
  /** True if the signature of this attempt is right. Never throws. */
  proves(attempt: PublicKeyAuthContext): boolean
}

const curves = /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521))$/

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
  if (!curves.test(key.algo) && !isStrongRsa(key.algo, hashAlgo, parsed.getPublicPEM())) return undefined
  return {
    ...facts,
    proves: ({ blob, signature }) =>
      !!blob && !!signature && isTrue(parsed.verify(blob, signature, hashAlgo)),
  }
}

/** Where ssh2 cannot verify it returns an Error, against its types; and an Error is truthy. */
const isTrue = (verdict: unknown): boolean => verdict === true

/** ssh2 sets no hash for `ssh-rsa`, which would be SHA-1. */
function isStrongRsa(algorithm: string, hash: string | undefined, pem: string): boolean {
  if (algorithm !== 'ssh-rsa' || (hash !== 'sha256' && hash !== 'sha512')) return false
  const bits = createPublicKey(pem).asymmetricKeyDetails?.modulusLength ?? 0
  return bits >= 2048 && bits <= 16_384
}
