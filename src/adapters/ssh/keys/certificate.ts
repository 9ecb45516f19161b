/**
 * OpenSSH's user certificates: a CA signs that a key's owner may log in under some names, for a while. ssh2 hands over
 * a certificate and the signature made with its key unread. Format: OpenSSH's PROTOCOL.certkeys.
 */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { verifySignature } from './signature.ts'
import { Reader, writeStrings } from './wire.ts'

/** A certificate as it was sent; nothing in it is checked. */
export interface Certificate {
  /** Its key, in wire form as a key without a certificate is sent. */
  readonly key: Buffer
  readonly isForUsers: boolean
  readonly principals: readonly string[]
  /** In seconds since the epoch: from the first, until just before the second. */
  readonly valid: readonly [after: bigint, before: bigint]
  /** Names and what they say. Who does not know all of these must refuse the certificate. */
  readonly criticalOptions: ReadonlyMap<string, Buffer>
  /** The public key that signed all but the signature. */
  readonly ca: Buffer
  readonly signed: Buffer
  readonly signature: Buffer
}

/** How many strings a public key has in wire form, after its type. */
const KEY_FIELDS: Readonly<Record<string, number>> = {
  'ssh-ed25519': 1,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'ssh-rsa': 2,
}

const SUFFIX = '-cert-v01@openssh.com'
const USER_CERTIFICATE = 1

/** True for the name of an algorithm that means a certificate. */
export const isCertificateAlgorithm = (algorithm: string): boolean => algorithm.endsWith(SUFFIX)

/** The certificate in these bytes; undefined if they are none of a kind that we take, or malformed. */
export function readCertificate(bytes: Buffer): Certificate | undefined {
  const reader = new Reader(bytes)
  try {
    const type = reader.string().toString('latin1')
    const plain = type.slice(0, -SUFFIX.length)
    const fields =
      isCertificateAlgorithm(type) && Object.hasOwn(KEY_FIELDS, plain) ? KEY_FIELDS[plain] : undefined
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

/** Why no trusted CA has signed that the certificate holds for this use, for the log; undefined if one has. */
export function whyUntrusted(
  certificate: Certificate,
  { name, address, at, cas }: CertificateUse,
): string | undefined {
  const [after, before] = certificate.valid
  const seconds = BigInt(Math.floor(at / 1_000))
  // What is signed comes first: of a certificate that a stranger has made up, nothing else is worth a word.
  if (!cas.some((ca) => ca.equals(certificate.ca))) return 'no CA of user_ca has signed it'
  if (!verifySignature(certificate.ca, certificate.signed, certificate.signature))
    return 'its signature is wrong'
  if (!certificate.isForUsers) return 'it is for a host'
  // One without principals is for every name, which sshd does not take from a CA either.
  if (!certificate.principals.some((principal) => isSameName(principal, name)))
    return 'it is not for this name'
  if (seconds < after) return 'it is not valid yet'
  if (seconds >= before) return 'it has expired'
  return mayComeFrom(certificate.criticalOptions, address)
    ? undefined
    : 'it has a critical option that is not known, or does not hold here'
}

/** As names are unique: case makes none of them another one, and neither does how a letter is composed. */
const isSameName = (principal: string, name: string): boolean =>
  principal.normalize('NFC').toLowerCase() === name.normalize('NFC').toLowerCase()

/** `source-address` is the one option that we know; any other makes the certificate void. */
function mayComeFrom(options: ReadonlyMap<string, Buffer>, address: string): boolean {
  for (const name of options.keys()) if (name !== 'source-address') return false
  const value = options.get('source-address')
  if (!value) return true
  const allowed = new BlockList()
  const list = value.subarray(4).toString('latin1').split(',')
  return list.every((range) => addRange(allowed, range)) && allowed.check(address, familyOf(address))
}

/** Adds an address, or a network such as `10.0.0.0/8`; false for anything else. */
function addRange(list: BlockList, range: string): boolean {
  const [, address = '', bits] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(range) ?? []
  const most = isIPv6(address) ? 128 : 32
  if (isIP(address) === 0 || Number(bits ?? most) > most) return false
  list.addSubnet(address, Number(bits ?? most), familyOf(address))
  return true
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')
