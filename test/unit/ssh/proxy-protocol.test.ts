import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HeaderError, parseHeader } from '../../../src/ssh/proxy-protocol.ts'
import { binaryHeader, extra, ipv4Place, ipv6Place } from '../../support/proxy-header.ts'
import { runs } from '../../support/runs.ts'

const DB8 = '20010db8000000000000000000000009'
const MAPPED = '00000000000000000000ffffc0000207'

const GOOD: readonly (readonly [string, Buffer, string | undefined])[] = [
  ['version 2, IPv4', binaryHeader(), '203.0.113.9'],
  ['version 2, IPv6', binaryHeader({ kind: 0x21, place: ipv6Place(DB8) }), '2001:db8::9'],
  ['version 2, IPv4 inside IPv6', binaryHeader({ kind: 0x21, place: ipv6Place(MAPPED) }), '192.0.2.7'],
  ['version 2, a socket of Unix', binaryHeader({ kind: 0x31, place: Buffer.alloc(216, 47) }), undefined],
  ['version 2, unspecified', binaryHeader({ kind: 0, place: Buffer.alloc(0) }), undefined],
  ['version 2, unspecified with noise', binaryHeader({ kind: 0, place: Buffer.alloc(99, 3) }), undefined],
  ['version 2, UDP', binaryHeader({ kind: 0x12 }), undefined],
  ['version 2, extra fields', binaryHeader({ extras: extra(0xea, Buffer.alloc(300, 1)) }), '203.0.113.9'],
]

describe.each(GOOD)('%s', (_name, header, client) => {
  test("a PROXY header gives the client's address and the length of the header", () => {
    const found = { bytes: header.length, isCheck: false, ...(client === undefined ? {} : { client }) }
    expect(parseHeader(header)).toEqual(found)
    expect(parseHeader(Buffer.concat([header, Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')]))).toEqual(found)
    expect(parseHeader(Buffer.concat([header, header]))).toEqual(found)
  })

  test('a PROXY header is incomplete until its last byte', () => {
    for (let end = 0; end < header.length; end++)
      expect(parseHeader(header.subarray(0, end)), `${end} bytes`).toBeUndefined()
  })
})

test.each([
  ['alone', binaryHeader({ command: 0x20, kind: 0, place: Buffer.alloc(0) })],
  ['with addresses', binaryHeader({ command: 0x20 })],
  ['with what means nothing', binaryHeader({ command: 0x20, kind: 0xff, place: Buffer.alloc(50, 3) })],
])('a PROXY header LOCAL %s is parsed as a health check', (_name, header) => {
  expect(parseHeader(header)).toEqual({ bytes: header.length, isCheck: true })
  expect(parseHeader(header.subarray(0, -1))).toBeUndefined()
})

test.each([
  ['a greeting of SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
  ['zeros', Buffer.alloc(64)],
  ['version 1', Buffer.from('PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\n')],
  ['version 1 of the binary form', binaryHeader({ command: 0x11 })],
  ['version 3', binaryHeader({ command: 0x31 })],
  ['an unknown command', binaryHeader({ command: 0x22 })],
  ['an unknown family', binaryHeader({ kind: 0x41 })],
  ['an unknown transport', binaryHeader({ kind: 0x13 })],
  ['addresses that are cut off', binaryHeader({ place: ipv4Place('203.0.113.9').subarray(0, 11) })],
  ['IPv6 in the space of IPv4', binaryHeader({ kind: 0x21 })],
  ['a path that is cut off', binaryHeader({ kind: 0x31, place: Buffer.alloc(215) })],
  ['the largest length there is', binaryHeader({ length: 65_535 })],
])('the PROXY header parser refuses %s', (_name, bytes) => {
  expect(() => parseHeader(bytes)).toThrow(HeaderError)
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

test('any bytes parse as incomplete, refused or whole, and later bytes do not change a final result', () => {
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
