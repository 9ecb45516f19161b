/** User certificates (OpenSSH's PROTOCOL.certkeys): a CA signs which names a key may use, and how long. */
import { addressMatcher } from '../address-matcher.ts'
import { verifySignature } from './signature.ts'
import { Reader, writeStrings } from './wire.ts'

/** A parsed certificate, not yet verified. */
export interface Certificate {
  /** The public key in wire form, without the certificate. */
  readonly key: Buffer
  readonly isForUsers: boolean
  readonly principals: readonly string[]
  /** Seconds since the epoch; `before` is exclusive. */
  readonly valid: readonly [after: bigint, before: bigint]
  readonly criticalOptions: ReadonlyMap<string, Buffer>
  /** The CA's public key. */
  readonly ca: Buffer
  /** The bytes that `signature` covers. */
  readonly signed: Buffer
  readonly signature: Buffer
}

/** The number of strings after the type of a public key in wire form. */
const KEY_FIELDS: ReadonlyMap<string, number> = new Map([
  ['ssh-ed25519', 1],
  ['ecdsa-sha2-nistp256', 2],
  ['ecdsa-sha2-nistp384', 2],
  ['ecdsa-sha2-nistp521', 2],
  ['ssh-rsa', 2],
])

const SUFFIX = '-cert-v01@openssh.com'
const USER_CERTIFICATE = 1

export const isCertificateAlgorithm = (algorithm: string): boolean => algorithm.endsWith(SUFFIX)

/** Returns undefined for bytes that are not a complete certificate of a supported kind. */
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
    reader.string() // The key ID that the CA chose.
    const principals = reader.strings().map((name) => name.toString('utf8'))
    const valid = [reader.uint64(), reader.uint64()] as const
    const criticalOptions = pairs(reader.strings())
    reader.string() // Extensions, which are ignored.
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

function pairs(strings: readonly Buffer[]): ReadonlyMap<string, Buffer> {
  if (strings.length % 2 !== 0) throw new RangeError('an option has no value')
  const options = new Map<string, Buffer>()
  for (let i = 0; i < strings.length; i += 2)
    options.set(String(strings[i]), strings[i + 1] ?? Buffer.alloc(0))
  return options
}

export interface CertificateUse {
  readonly name: string
  readonly address: string
  /** The time of the login in ms since the epoch. */
  readonly at: number
  /** The public keys of the trusted CAs in wire form. */
  readonly cas: readonly Buffer[]
}

/** Returns the reason for the log if a certificate is invalid for this use; undefined if it is valid. */
export function whyUntrusted(
  { principals, valid: [after, before], ...certificate }: Certificate,
  { name, address, at, cas }: CertificateUse,
): string | undefined {
  const seconds = BigInt(Math.floor(at / 1_000))
  // The signature comes first: the other fields of a forged certificate are not worth logging.
  if (!cas.some((ca) => ca.equals(certificate.ca))) return 'no CA of user_ca has signed it'
  if (!verifySignature(certificate.ca, certificate.signed, certificate.signature))
    return 'its signature is wrong'
  if (!certificate.isForUsers) return 'it is for a host'
  // Without principals a certificate would be valid for every name. sshd refuses one from a CA, too.
  if (!principals.some((principal) => isSameName(principal, name))) return 'it is not for this name'
  if (seconds < after) return 'it is not valid yet'
  if (seconds >= before) return 'it has expired'
  return mayComeFrom(certificate.criticalOptions, address)
    ? undefined
    : 'it has a critical option that is unknown or not met'
}

const isSameName = (principal: string, name: string): boolean =>
  principal.normalize('NFC').toLowerCase() === name.normalize('NFC').toLowerCase()

/** Checks `source-address`, the only supported critical option; unknown ones are refused. */
function mayComeFrom(options: ReadonlyMap<string, Buffer>, address: string): boolean {
  const value = options.get('source-address')
  if (options.size > (value ? 1 : 0)) return false
  // The value is an SSH string inside another one: its first 4 bytes are a length.
  const allows = value && addressMatcher(value.subarray(4).toString('latin1').split(','))
  return !value || (allows?.(address) ?? false)
}
