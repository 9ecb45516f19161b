import { isIPv4, isIPv6 } from 'node:net'
import { addressOf, plainAddress } from '../../../lib/network.ts'

/**
 * The PROXY protocol, versions 1 and 2: what a proxy sends first on a connection that it passes on.
 * Source: https://www.haproxy.org/download/1.8/doc/proxy-protocol.txt; the sections named here are those of that text.
 */

/** What a whole header says. */
export interface ProxyHeader {
  /** Its length in bytes; what the client sends begins there. */
  readonly bytes: number
  /** The address of the client; absent where the proxy does not know it, or names none of the internet. */
  readonly client?: string
  /** Nobody's connection is passed on: the proxy looks whether the server is there (`LOCAL`). */
  readonly isCheck: boolean
}

/** What came is no header. */
export class HeaderError extends Error {
  override readonly name = 'HeaderError'
}

/** Section 2: a header fits in 536 bytes. Its extra fields may be long; proxies are known to add some hundred bytes. */
const MAX_BYTES = 4_096

const BINARY = Buffer.from('\r\n\r\n\0\r\nQUIT\n')
const LINE = Buffer.from('PROXY ')

/** Reads the header that `bytes` begins with; undefined while there is only a part of one. Throws `HeaderError`. */
export function parseHeader(bytes: Buffer): ProxyHeader | undefined {
  if (beginsAs(bytes, BINARY)) return bytes.length < FIXED_BYTES ? undefined : parseBinary(bytes)
  if (beginsAs(bytes, LINE)) return parseLine(bytes)
  throw new HeaderError('no PROXY header, though the address is one of server.proxies')
}

const beginsAs = (bytes: Buffer, start: Buffer): boolean => {
  const length = Math.min(bytes.length, start.length)
  return bytes.subarray(0, length).equals(start.subarray(0, length))
}

/** Section 2.1: the longest line, with its CRLF. */
const LINE_BYTES = 107

const PORT = '(?:0|[1-9]\\d{0,4})'
const ADDRESS = '[\\dA-Fa-f:.]+'
const CLIENT = new RegExp(`^PROXY (TCP[46]) (${ADDRESS}) (${ADDRESS}) (${PORT}) (${PORT})$`)
const UNKNOWN = /^PROXY UNKNOWN(?: |$)/

function parseLine(bytes: Buffer): ProxyHeader | undefined {
  const line = bytes.toString('latin1', 0, LINE_BYTES)
  const end = line.indexOf('\r\n')
  if (end < 0 && line.length < LINE_BYTES) return undefined
  const found = { bytes: end + 2, isCheck: false }
  const text = line.slice(0, Math.max(0, end))
  if (UNKNOWN.test(text)) return found
  const [, family, client = '', server = '', ...ports] = CLIENT.exec(text) ?? []
  const isAddress = family === 'TCP4' ? isIPv4 : isIPv6
  if (!isAddress(client) || !isAddress(server) || !ports.every(isPort))
    throw new HeaderError('the line of the PROXY header is not as version 1 has it')
  return { ...found, client: plainAddress(client) }
}

const isPort = (port: string): boolean => Number(port) <= 65_535

/** Section 2.2: signature, version with command, family with transport, and the length of what follows. */
const FIXED_BYTES = 16
const [LOCAL, PROXY] = [0x20, 0x21]
const STREAM = 1
const MAX_TRANSPORT = 2

/** Bytes of the addresses and ports, by family: none named, IPv4, IPv6, sockets of Unix. */
const PLACE_BYTES: readonly number[] = [0, 12, 36, 216]

/** Bytes of the client's address, which comes first, by family. */
const ADDRESS_BYTES: readonly (number | undefined)[] = [undefined, 4, 16]

function parseBinary(bytes: Buffer): ProxyHeader | undefined {
  const [command, kind = 0] = bytes.subarray(BINARY.length)
  const end = FIXED_BYTES + bytes.readUInt16BE(FIXED_BYTES - 2)
  if (command !== LOCAL && command !== PROXY)
    throw new HeaderError('a PROXY header of an unknown version or command')
  if (end > MAX_BYTES) throw new HeaderError(`a PROXY header of more than ${MAX_BYTES} bytes`)
  if (bytes.length < end) return undefined
  if (command === LOCAL) return { bytes: end, isCheck: true }
  const [family, transport] = [kind >> 4, kind & 15]
  const placeBytes = PLACE_BYTES[family]
  if (placeBytes === undefined || transport > MAX_TRANSPORT)
    throw new HeaderError('a PROXY header of an unknown family or transport')
  const extras = FIXED_BYTES + placeBytes
  if (end < extras) throw new HeaderError('the addresses of a PROXY header are cut off')
  const header = bytes.subarray(0, end)
  if (placeBytes > 0) checkExtras(header, extras)
  const found = { bytes: end, isCheck: false }
  const clientBytes = transport === STREAM ? ADDRESS_BYTES[family] : undefined
  if (clientBytes === undefined) return found
  return { ...found, client: addressOf(header.subarray(FIXED_BYTES, FIXED_BYTES + clientBytes)) }
}

/** Section 2.2: type, length in two bytes, value. */
const EXTRA_BYTES = 3
const CRC32C = 0x03

/** Goes over the fields after the addresses, which only have to be whole. A checksum must be right. */
function checkExtras(header: Buffer, start: number): void {
  for (let at = start, next; at < header.length; at = next) {
    const value = at + EXTRA_BYTES
    next = value > header.length ? Infinity : value + header.readUInt16BE(at + 1)
    if (next > header.length) throw new HeaderError('a field of a PROXY header is cut off')
    if (header[at] === CRC32C && !isChecksum(header, value, next))
      throw new HeaderError('the checksum of a PROXY header is wrong')
  }
}

/** Section 2.2.3: it is made while its own bytes are 0. */
function isChecksum(header: Buffer, start: number, end: number): boolean {
  const zeroed = Buffer.from(header).fill(0, start, end)
  return end - start === 4 && header.readUInt32BE(start) === crc32c(zeroed)
}

/** RFC 4960, appendix B, bit by bit: headers are short. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  return ~crc >>> 0
}
