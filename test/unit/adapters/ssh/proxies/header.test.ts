import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32c, HeaderError, parseHeader } from '../../../../../src/adapters/ssh/proxies/header.ts'
import { binaryHeader, extra, ipv4Place, ipv6Place, lineHeader } from '../../../../support/proxy-header.ts'
import { runs } from '../../../../support/runs.ts'

const DB8 = '20010db8000000000000000000000009'
const MAPPED = '00000000000000000000ffffc0000207'
const line = (text: string): Buffer => Buffer.from(`${text}\r\n`, 'latin1')

/** A header with a right checksum between two other fields. */
function summed(): Buffer {
  const [before, after] = [extra(0x05, Buffer.from('id')), extra(0x04, Buffer.alloc(9))]
  const header = binaryHeader({ extras: Buffer.concat([before, extra(0x03, Buffer.alloc(4)), after]) })
  header.writeUInt32BE(crc32c(header), header.length - after.length - 4)
  return header
}

const GOOD: readonly (readonly [string, Buffer, string | undefined])[] = [
  ['version 1, IPv4', lineHeader('203.0.113.9'), '203.0.113.9'],
  ['version 1, IPv6', lineHeader('2001:db8::9'), '2001:db8::9'],
  ['version 1, IPv6 written otherwise', line('PROXY TCP6 2001:DB8:0:0::9 ::1 0 65535'), '2001:db8::9'],
  ['version 1, IPv4 inside IPv6', line('PROXY TCP6 ::ffff:192.0.2.7 ::ffff:192.0.2.1 1 2'), '192.0.2.7'],
  ['version 1, unknown', line('PROXY UNKNOWN'), undefined],
  ['version 1, unknown with more', line('PROXY UNKNOWN ffff::1 \0 what \n ever'), undefined],
  ['version 2, IPv4', binaryHeader(), '203.0.113.9'],
  ['version 2, IPv6', binaryHeader({ kind: 0x21, place: ipv6Place(DB8) }), '2001:db8::9'],
  ['version 2, IPv4 inside IPv6', binaryHeader({ kind: 0x21, place: ipv6Place(MAPPED) }), '192.0.2.7'],
  ['version 2, a socket of Unix', binaryHeader({ kind: 0x31, place: Buffer.alloc(216, 47) }), undefined],
  ['version 2, unspecified', binaryHeader({ kind: 0, place: Buffer.alloc(0) }), undefined],
  ['version 2, unspecified with noise', binaryHeader({ kind: 0, place: Buffer.alloc(99, 3) }), undefined],
  ['version 2, UDP', binaryHeader({ kind: 0x12 }), undefined],
  ['version 2, extra fields', binaryHeader({ extras: extra(0xea, Buffer.alloc(300, 1)) }), '203.0.113.9'],
  ['version 2, a checksum', summed(), '203.0.113.9'],
]

describe.each(GOOD)('%s', (_name, header, client) => {
  test('says where the client is, and where the header ends', () => {
    const found = { bytes: header.length, isCheck: false, ...(client === undefined ? {} : { client }) }
    expect(parseHeader(header)).toEqual(found)
    expect(parseHeader(Buffer.concat([header, Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')]))).toEqual(found)
    expect(parseHeader(Buffer.concat([header, header]))).toEqual(found)
  })

  test('is a part of a header until its last byte', () => {
    for (let end = 0; end < header.length; end++)
      expect(parseHeader(header.subarray(0, end)), `${end} bytes`).toBeUndefined()
  })
})

test.each([
  ['alone', binaryHeader({ command: 0x20, kind: 0, place: Buffer.alloc(0) })],
  ['with addresses', binaryHeader({ command: 0x20 })],
  ['with what means nothing', binaryHeader({ command: 0x20, kind: 0xff, place: Buffer.alloc(50, 3) })],
])("a proxy's own connection is told from others: LOCAL %s", (_name, header) => {
  expect(parseHeader(header)).toEqual({ bytes: header.length, isCheck: true })
  expect(parseHeader(header.subarray(0, -1))).toBeUndefined()
})

test.each([
  ['a greeting of SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
  ['zeros', Buffer.alloc(64)],
  ['a word that begins as one', Buffer.from('PROXIED')],
  ['small letters', line('proxy TCP4 203.0.113.9 192.0.2.1 1 2')],
  ['small letters after it', line('PROXY tcp4 203.0.113.9 192.0.2.1 1 2')],
  ['no words', line('PROXY ')],
  ['two spaces', line('PROXY TCP4  203.0.113.9 192.0.2.1 1 2')],
  ['a word more', line('PROXY TCP4 203.0.113.9 192.0.2.1 1 2 3')],
  ['a word less', line('PROXY TCP4 203.0.113.9 192.0.2.1 1')],
  ['a port beyond the last', line('PROXY TCP4 203.0.113.9 192.0.2.1 65536 2')],
  ['a port with a zero before it', line('PROXY TCP4 203.0.113.9 192.0.2.1 01 2')],
  ['an address with a zero before it', line('PROXY TCP4 203.0.113.09 192.0.2.1 1 2')],
  ['a number as address', line('PROXY TCP4 3405803785 192.0.2.1 1 2')],
  ['an IPv6 address as IPv4', line('PROXY TCP4 2001:db8::9 192.0.2.1 1 2')],
  ['an IPv4 address as IPv6', line('PROXY TCP6 203.0.113.9 2001:db8::1 1 2')],
  ['an IPv6 address with a zone', line('PROXY TCP6 fe80::1%eth0 2001:db8::1 1 2')],
  ['UDP in version 1', line('PROXY UDP4 203.0.113.9 192.0.2.1 1 2')],
  ['an end without CR', Buffer.from(`PROXY TCP4 203.0.113.9 192.0.2.1 1 2\n${' '.repeat(99)}`)],
  ['a line feed in the middle', line('PROXY TCP4 203.0.113.9\n192.0.2.1 1 2')],
  ['unknown and a letter', line('PROXY UNKNOWNS')],
  ['a line without an end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(93)}`)],
  ['version 1 of the binary form', binaryHeader({ command: 0x11 })],
  ['version 3', binaryHeader({ command: 0x31 })],
  ['an unknown command', binaryHeader({ command: 0x22 })],
  ['an unknown family', binaryHeader({ kind: 0x41 })],
  ['an unknown transport', binaryHeader({ kind: 0x13 })],
  ['addresses that are cut off', binaryHeader({ place: ipv4Place('203.0.113.9').subarray(0, 11) })],
  ['IPv6 in the space of IPv4', binaryHeader({ kind: 0x21 })],
  ['a path that is cut off', binaryHeader({ kind: 0x31, place: Buffer.alloc(215) })],
  ['half a field', binaryHeader({ extras: Buffer.of(0x04, 0) })],
  ['a field longer than the header', binaryHeader({ extras: Buffer.of(0x04, 0, 2, 1) })],
  ['a wrong checksum', binaryHeader({ extras: extra(0x03, Buffer.of(1, 2, 3, 4)) })],
  ['a checksum of no bytes', binaryHeader({ extras: extra(0x03, Buffer.alloc(0)) })],
  ['a checksum of five bytes', binaryHeader({ extras: extra(0x03, Buffer.alloc(5)) })],
  ['the largest length there is', binaryHeader({ length: 65_535 })],
])('%s is refused', (_name, bytes) => {
  expect(() => parseHeader(bytes)).toThrow(HeaderError)
})

test('a wrong bit anywhere in the addresses does not pass the checksum', () => {
  const [first, end] = [16 * 8, 28 * 8]
  for (let bit = first; bit < end; bit++) {
    const spoilt = summed()
    spoilt.writeUInt8(spoilt.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(() => parseHeader(spoilt), `bit ${bit}`).toThrow('checksum')
  }
})

/** What is read of bytes: `more`, `refused`, or the client. */
function clientIn(bytes: Buffer): string {
  try {
    const header = parseHeader(bytes)
    return header ? (header.client ?? 'nobody') : 'more'
  } catch (error) {
    expect(error).toBeInstanceOf(HeaderError)
    return 'refused'
  }
}

/** Bytes that go further than noise: a good beginning, then anything. */
const almost = fc
  .tuple(
    fc.constantFrom(...GOOD.map(([, header]) => header)),
    fc.nat(),
    fc.uint8Array({ maxLength: 200 }),
    fc.boolean(),
  )
  .map(([header, at, noise, isKept]) => {
    const end = at % (header.length + 1)
    return Buffer.concat([header.subarray(0, end), noise, ...(isKept ? [header.subarray(end)] : [])])
  })

test('whatever comes is a part, refused or whole, and stays so when more comes', () => {
  fc.assert(
    fc.property(almost, fc.uint8Array({ maxLength: 8_192 }), (bytes, more) => {
      const first = clientIn(bytes)
      const then = clientIn(Buffer.concat([bytes, more]))
      if (first !== 'more') expect(then).toBe(first)
      // Nothing is waited for beyond what a header may have.
      if (bytes.length + more.length > 4_096) expect(then).not.toBe('more')
    }),
    { numRuns: runs(5_000) },
  )
})

test('the checksum is CRC-32C', () => {
  // The check value of the catalogue of CRC algorithms, and RFC 3720, B.4: 32 bytes of zeros.
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa)
})
