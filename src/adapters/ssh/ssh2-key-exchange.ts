import { createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import type { Connection } from 'ssh2'

/**
 * Key exchanges with curve25519 whose public keys are read and written as JWK. ssh2 (1.17) does so as DER, for which OpenSSL looks
 * for a decoder each time (measured: 97 and 86 µs; as JWK 13 and 2 µs), and it writes its own key twice.
 */

/** What ssh2 keeps of an exchange. */
export interface Exchange {
  readonly type?: string
  /** Made by `generateKeys`, which does nothing the second time. */
  readonly _keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | null
  generateKeys(): void
  getPublicKey(): Buffer
  /** The shared secret, or why there is none. */
  computeSecret(otherPublicKey: Buffer): Buffer | Error
}

interface Internals {
  readonly _protocol?: { _kex?: Exchange | undefined }
}

/** Every exchange of a client, the first and those that follow, is a quick one. Throws if ssh2 has changed. */
export function quickenKeyExchanges(client: Connection): void {
  const { _protocol: protocol } = client as Connection & Internals
  if (!protocol || !('_kex' in protocol)) throw new Error('ssh2 has changed: its key exchanges are elsewhere')
  let current = protocol._kex
  Object.defineProperty(protocol, '_kex', {
    get: () => current,
    set(exchange: Exchange | undefined) {
      if (exchange?.type === '25519') quicken(exchange)
      current = exchange
    },
  })
}

/** Gives an exchange with curve25519 quicker ways to do what it does. */
export function quicken(exchange: Exchange): void {
  let own: Buffer | undefined
  const keys = (): NonNullable<Exchange['_keys']> => {
    exchange.generateKeys()
    if (!exchange._keys) throw new Error('ssh2 has changed: an exchange made no keys')
    return exchange._keys
  }
  exchange.getPublicKey = () => (own ??= pointOf(keys().publicKey))
  exchange.computeSecret = (otherPublicKey) => {
    try {
      return mpint(diffieHellman({ privateKey: keys().privateKey, publicKey: keyOf(otherPublicKey) }))
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
}

/** RFC 7748, section 5: what is sent of a key has so many bytes. */
const POINT_BYTES = 32

function pointOf(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
}

function keyOf(point: Buffer): KeyObject {
  if (point.length !== POINT_BYTES) throw new Error(`a public key of ${point.length} bytes`)
  return createPublicKey({
    key: { kty: 'OKP', crv: 'X25519', x: point.toString('base64url') },
    format: 'jwk',
  })
}

/** RFC 4251, section 5, without the length: no zeros in front, but one where the number would be negative (RFC 8731, 3.1). */
function mpint(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const number = bytes.subarray(first)
  return (number[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), number]) : number
}
