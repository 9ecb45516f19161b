/**
 * keys/ reads and checks keys and signatures of people, and the server's own keys. It must not know
 * connections, nor who has which key or name.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import type { ParsedKey, PublicKeyAuthContext } from 'ssh2'
import { ssh2 } from '../ssh2.ts'
import type { Fingerprint } from '../../../chat/people/person.ts'
import type { OfferedKey } from '../../../session/ports.ts'
import { isCertificateAlgorithm, readCertificate, type CertificateUse, whyUntrusted } from './certificate.ts'
import { ed25519Key, readSecurityKey, verifySignature } from './signature.ts'
import { readStrings } from './wire.ts'

/** A key that a client offers, and the check of signatures that its kind needs. */
export interface LoginKey extends OfferedKey {
  /** True if the signature of this attempt is right. Never throws. */
  proves(attempt: PublicKeyAuthContext): boolean
}

/** As `ssh-keygen -lf` prints it, of a public key in SSH wire form. */
export function fingerprintOf(publicKey: Uint8Array): Fingerprint {
  const digest = createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')
  return `SHA256:${digest}` as Fingerprint
}

const ED25519 = 'ssh-ed25519'
const CURVE_ALGORITHM = /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521))$/

/**
 * The key of this attempt, if it is Ed25519, ECDSA, RSA of 2048 bits and more with SHA-2, sk-, or one of the
 * first three with a certificate that is trusted for `use`. `onUntrusted` is told why one is not, for the
 * log.
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
    return publicKey && provenBy(facts, (blob, signature) => verify(null, blob, publicKey, signature))
  }
  if (key.algo.startsWith('sk-')) {
    const verifyTouch = readSecurityKey(key)
    return verifyTouch && provenBy(facts, verifyTouch)
  }
  const parsed = parsePublic(key.data)
  if (parsed?.type !== key.algo || (key.algo === 'ssh-rsa' && !isSha2(hashAlgo))) return undefined
  return provenBy(facts, (blob, signature) => isTrue(parsed.verify(blob, signature, hashAlgo)))
}

/** A key whose owner signs so that `isRight`; an attempt without a signature proves nothing. */
const provenBy = (facts: OfferedKey, isRight: (blob: Buffer, signature: Buffer) => boolean): LoginKey => ({
  ...facts,
  proves: ({ blob, signature }) => !!blob && !!signature && isRight(blob, signature),
})

/** Unlike for other keys, the signature names its algorithm. */
function readCertified(
  data: Buffer,
  use: CertificateUse,
  onUntrusted: (why: string) => void,
): LoginKey | undefined {
  const certificate = readCertificate(data)
  const why = certificate ? whyUntrusted(certificate, use) : 'it is of no kind that is taken'
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
  return provenBy(facts, (blob, signature) => verifySignature(key, blob, signature))
}

/** A line of a `.pub` file or of `authorized_keys` without options: the key's type, its bytes, a comment. */
const KEY_LINE = /^\s*([a-z0-9@.-]{1,64})[ \t]+([A-Za-z0-9+/]{1,8192}={0,2})(?:[ \t][^\r\n]*)?\s*$/

/** The fingerprint of the public key in a line, if it is of a kind that could log in. */
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

/** A public key in wire form of a kind and size that we take, but sk-. */
function parsePublic(data: Buffer): ParsedKey | undefined {
  const type = readStrings(data)?.[0]?.toString('latin1') ?? ''
  if (type !== 'ssh-rsa' && !CURVE_ALGORITHM.test(type)) return undefined
  const parsed = ssh2.utils.parseKey(data)
  if (parsed instanceof Error || parsed.type !== type || parsed.isPrivateKey()) return undefined
  return type === 'ssh-rsa' && !isStrongRsa(parsed) ? undefined : parsed
}

/** ssh2 returns an Error if it cannot verify, which its types do not say, and which is truthy. */
const isTrue = (verdict: unknown): boolean => verdict === true

/** ssh2 sets no hash for `ssh-rsa`, which would be SHA-1. */
const isSha2 = (hash: string | undefined): boolean => hash === 'sha256' || hash === 'sha512'

export const MIN_RSA_BITS = 2_048
/** A longer key would only cost time to verify. */
const MAX_RSA_BITS = 16_384

export const rsaBitsOf = (key: ParsedKey): number =>
  createPublicKey(key.getPublicPEM()).asymmetricKeyDetails?.modulusLength ?? 0

const isStrongRsa = (key: ParsedKey): boolean =>
  rsaBitsOf(key) >= MIN_RSA_BITS && rsaBitsOf(key) <= MAX_RSA_BITS
