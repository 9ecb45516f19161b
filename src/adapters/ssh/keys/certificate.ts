/**
 * OpenSSH's user certificates: a CA signs that a key's owner may log in under some names, for a while.
 * Format: OpenSSH's PROTOCOL.certkeys.
 */
import { addressMatcher } from '../address-matcher.ts'
import { verifySignature } from './signature.ts'
import { Reader, writeStrings } from './wire.ts'

/** A certificate as it was sent; nothing in it is checked. */
export interface Certificate {
  /** In wire form, as a key without a certificate is sent. */
  readonly key: Buffer
  readonly isForUsers: boolean
  readonly principals: readonly string[]
  /** In seconds since the epoch: from the first, until just before the second. */
  readonly valid: readonly [after: bigint, before: bigint]
  readonly criticalOptions: ReadonlyMap<string, Buffer>
  /** The public key that signed all but the signature. */
  readonly ca: Buffer
  readonly signed: Buffer
  readonly signature: Buffer
}

/** How many strings a public key has in wire form, after its type. */
const KEY_FIELDS: ReadonlyMap<string, number> = new Map([
  ['ssh-ed25519', 1],
  ['ecdsa-sha2-nistp256', 2],
  ['ecdsa-sha2-nistp384', 2],
  ['ecdsa-sha2-nistp521', 2],
  ['ssh-rsa', 2],
])

const SUFFIX = '-cert-v01@openssh.com'
const USER_CERTIFICATE = 1

/** True for the name of an algorithm that means a certificate. */
export const isCertificateAlgorithm = (algorithm: string): boolean => algorithm.endsWith(SUFFIX)

/** Undefined for bytes that are no whole certificate of a kind that we take. */
export function readCertificate(bytes: Buffer): Certificate | undefined {
  const reader = new Reader(bytes)
  try {
    const type = reader.string().toString('latin1')
    const plain = type.slice(0, -SUFFIX.length)
    const fields = isCertificateAlgorithm(type) ? KEY_FIELDS.get(plain) : undefined
    if (fields === undefined) return undefined
    reader.string() // A nonce.
    const key = writeStrings(Buffer.from(plain), ...Array.from({ length: fields }, () => reader.string()))
    reader.uint64() // A serial number.
    const isForUsers = reader.uint32() === USER_CERTIFICATE
    reader.string() // What the CA calls it.
    const principals = reader.strings().map((name) => name.toString('utf8'))
    const valid = [reader.uint64(), reader.uint64()] as const
    const criticalOptions = pairs(reader.strings())
    reader.string() // Extensions, all of which are about what we do not do.
    reader.string() // Reserved.
    const ca = reader.string()
    const signed = bytes.subarray(0, reader.position())
    const signature = reader.string()
    if (reader.position() !== bytes.length) return undefined
    return { key, isForUsers, principals, valid, criticalOptions, ca, signed, signature }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Names with their values, which come by turns. Throws `RangeError` for a name without one. */
function pairs(strings: readonly Buffer[]): ReadonlyMap<string, Buffer> {
  if (strings.length % 2 !== 0) throw new RangeError('an option has no value')
  const options = new Map<string, Buffer>()
  for (let i = 0; i < strings.length; i += 2)
    options.set(String(strings[i]), strings[i + 1] ?? Buffer.alloc(0))
  return options
}

/** For whom, from where and when a certificate is to hold. */
export interface CertificateUse {
  readonly name: string
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The public keys of the CAs that are trusted, in wire form. */
  readonly cas: readonly Buffer[]
}

/** Why a certificate does not hold for this use, for the log; undefined if it does. */
export function whyUntrusted(
  { principals, valid: [after, before], ...certificate }: Certificate,
  { name, address, at, cas }: CertificateUse,
): string | undefined {
  const seconds = BigInt(Math.floor(at / 1_000))
  // What is signed comes first: of a certificate that a stranger has made up, nothing else is worth a word.
  if (!cas.some((ca) => ca.equals(certificate.ca))) return 'no CA of user_ca has signed it'
  if (!verifySignature(certificate.ca, certificate.signed, certificate.signature))
    return 'its signature is wrong'
  if (!certificate.isForUsers) return 'it is for a host'
  // One without principals is for every name, which sshd does not take from a CA either.
  if (!principals.some((principal) => isSameName(principal, name))) return 'it is not for this name'
  if (seconds < after) return 'it is not valid yet'
  if (seconds >= before) return 'it has expired'
  return mayComeFrom(certificate.criticalOptions, address)
    ? undefined
    : 'it has a critical option that is not known, or does not hold here'
}

/** Neither case nor how a letter is composed makes another name. */
const isSameName = (principal: string, name: string): boolean =>
  principal.normalize('NFC').toLowerCase() === name.normalize('NFC').toLowerCase()

/** `source-address` is the one option that we know. */
function mayComeFrom(options: ReadonlyMap<string, Buffer>, address: string): boolean {
  const value = options.get('source-address')
  if (options.size > (value ? 1 : 0)) return false
  // The value is a string in a string.
  const allows = value && addressMatcher(value.subarray(4).toString('latin1').split(','))
  return !value || (allows?.(address) ?? false)
}
