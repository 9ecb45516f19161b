/** What a proxy says of a client, in version 2. What is absent is as a usual proxy has it. */
export interface BinaryHeader {
  /** Version and command: 0x21 is PROXY, 0x20 LOCAL. */
  readonly command?: number
  /** Family and transport: 0x11 is TCP over IPv4. */
  readonly kind?: number
  /** Addresses and ports. */
  readonly place?: Uint8Array
  readonly extras?: Uint8Array
  /** In place of the true one. */
  readonly length?: number
}

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')

/** A header of version 2; with no words it is that of a client on TCP over IPv4, 203.0.113.9. */
export function binaryHeader(words: BinaryHeader = {}): Buffer {
  const { command = 0x21, kind = 0x11, place = ipv4Place('203.0.113.9'), extras = Buffer.alloc(0) } = words
  const length = words.length ?? place.length + extras.length
  return Buffer.concat([SIGNATURE, Buffer.of(command, kind, length >> 8, length & 255), place, extras])
}

/** The client's address, the server's, and both ports. */
export const ipv4Place = (client: string): Buffer =>
  Buffer.concat([Buffer.from(client.split('.').map(Number)), Buffer.of(192, 0, 2, 1), PORTS])

/** The client's address in 32 hexadecimal digits. */
export const ipv6Place = (client: string): Buffer =>
  Buffer.concat([Buffer.from(client, 'hex'), Buffer.alloc(16, 1), PORTS])

const PORTS = Buffer.of(0xc0, 0x01, 0x08, 0xae)

/** One field after the addresses. */
export const extra = (type: number, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(type, value.length >> 8, value.length & 255), value])
