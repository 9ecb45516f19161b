/**
 * keys/ reads and checks keys and signatures of people, and the server's own keys. It must not know
 * connections, nor who has which key or name.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import type { ParsedKey, PublicKeyAuthContext } from 'ssh2'
import { ssh2 } from '../ssh2/library.ts'
import type { Fingerprint } from '../../words/person.ts'
import type { OfferedKey } from '../../terminal/index.ts'
import { isCertificateAlgorithm, readCertificate, type CertificateUse, whyUntrusted } from './certificate.ts'
import { ed25519Key, readSecurityKey, verifySignature } from './signature.ts'
import { readStrings } from './wire.ts'

/** A key that a client offers, with the signature check of its kind. */
export interface LoginKey extends OfferedKey {
  /** True if the signature of this attempt is right. Never throws. */
  proves(attempt: PublicKeyAuthContext): boolean
}

/** Returns the fingerprint of a public key in wire form, as `ssh-keygen -lf` prints it. */
export function fingerprintOf(publicKey: Uint8Array): Fingerprint {
  const digest = createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')
  return `SHA256:${digest}` as Fingerprint
}

const ED25519 = 'ssh-ed25519'
const CURVE_ALGORITHM = /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521))$/

/**
 * Returns the key of this attempt if it is Ed25519, ECDSA, RSA of at least 2048 bits with SHA-2, sk-, or a
 * non-sk key with a certificate that is trusted for `use`. Passes the reason why a certificate is untrusted
 * to `onUntrusted`, for the log.
 */
export function readLoginKey(
  { key, hashAlgo }: PublicKeyAuthContext,
  use: CertificateUse,
  onUntrusted: (why: string) => void,
): LoginKey | undefined {
  if (isCertificateAlgorithm(key.algo)) return readCertified(key.data, use, onUntrusted)
  const facts = { fingerprint: fingerprintOf(key.data), algorithm: key.algo }
  if (key.algo === ED25519) {
    const publicKey = readEd25519(key.data)
    return (
      publicKey && withSignatureCheck(facts, (blob, signature) => verify(null, blob, publicKey, signature))
    )
  }
  if (key.algo.startsWith('sk-')) {
    const verifyTouch = readSecurityKey(key)
    return verifyTouch && withSignatureCheck(facts, verifyTouch)
  }
  const parsed = parsePublic(key.data)
  if (parsed?.type !== key.algo || (key.algo === 'ssh-rsa' && !isSha2(hashAlgo))) return undefined
  return withSignatureCheck(facts, (blob, signature) => isTrue(parsed.verify(blob, signature, hashAlgo)))
}

/** An attempt without a signature proves nothing. */
const withSignatureCheck = (
  facts: OfferedKey,
  isRight: (blob: Buffer, signature: Buffer) => boolean,
): LoginKey => ({
  ...facts,
  proves: ({ blob, signature }) => !!blob && !!signature && isRight(blob, signature),
})

/** Reads a key with a trusted certificate. Unlike others, its signature names its own algorithm. */
function readCertified(
  data: Buffer,
  use: CertificateUse,
  onUntrusted: (why: string) => void,
): LoginKey | undefined {
  const certificate = readCertificate(data)
  const why = certificate ? whyUntrusted(certificate, use) : 'its type is not accepted'
  if (why !== undefined) onUntrusted(`the certificate was refused: ${why}`)
  if (!certificate || why !== undefined) return undefined
  const { key } = certificate
  const parsed = parsePublic(key)
  if (!parsed) return undefined
  const facts = {
    fingerprint: fingerprintOf(key),
    algorithm: parsed.type,
    isCertified: true,
    certifiedUntil: Number(certificate.valid[1]) * 1_000,
  } as const
  return withSignatureCheck(facts, (blob, signature) => verifySignature(key, blob, signature))
}

/** A line of a `.pub` file, or of `authorized_keys` without options: type, base64 bytes, comment. */
const KEY_LINE = /^\s*([a-z0-9@.-]{1,64})[ \t]+([A-Za-z0-9+/]{1,8192}={0,2})(?:[ \t][^\r\n]*)?\s*$/

/** Returns the fingerprint of the public key in a line if its kind could log in. */
export function readKeyLine(line: string): Fingerprint | undefined {
  const [, type = '', base64 = ''] = KEY_LINE.exec(line) ?? []
  const data = Buffer.from(base64, 'base64')
  const isKey = type.startsWith('sk-')
    ? readSecurityKey({ algo: type, data }) !== undefined
    : parsePublic(data)?.type === type
  return isKey ? fingerprintOf(data) : undefined
}

function readEd25519(data: Buffer): KeyObject | undefined {
  const [type, point, ...more] = readStrings(data) ?? []
  return type?.toString('latin1') === ED25519 && point && more.length === 0 ? ed25519Key(point) : undefined
}

/** Parses a public key in wire form of a supported kind and size, except sk- keys. */
function parsePublic(data: Buffer): ParsedKey | undefined {
  const type = readStrings(data)?.[0]?.toString('latin1') ?? ''
  if (type !== 'ssh-rsa' && !CURVE_ALGORITHM.test(type)) return undefined
  const parsed = ssh2.utils.parseKey(data)
  if (parsed instanceof Error || parsed.type !== type || parsed.isPrivateKey()) return undefined
  return type === 'ssh-rsa' && !isStrongRsa(parsed) ? undefined : parsed
}

/** ssh2 returns an Error, which is truthy, if it cannot verify, though its types do not say so. */
const isTrue = (verdict: unknown): boolean => verdict === true

/** True for SHA-2. ssh2 sets no hash for `ssh-rsa`, which would be SHA-1. */
const isSha2 = (hash: string | undefined): boolean => hash === 'sha256' || hash === 'sha512'

export const MIN_RSA_BITS = 2_048
/** Limits the time of verification. */
const MAX_RSA_BITS = 16_384

export const rsaBitsOf = (key: ParsedKey): number =>
  createPublicKey(key.getPublicPEM()).asymmetricKeyDetails?.modulusLength ?? 0

const isStrongRsa = (key: ParsedKey): boolean =>
  rsaBitsOf(key) >= MIN_RSA_BITS && rsaBitsOf(key) <= MAX_RSA_BITS
