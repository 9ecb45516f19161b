/** Splits `uint32 length, bytes` fields (RFC 4251, section 5); undefined if they do not fill the buffer exactly. */
export function readStrings(buffer: Buffer): Buffer[] | undefined {
  const strings: Buffer[] = []
  for (let at = 0; at < buffer.length;) {
    if (at + 4 > buffer.length) return undefined
    const end = at + 4 + buffer.readUInt32BE(at)
    if (end > buffer.length) return undefined
    strings.push(buffer.subarray(at + 4, end))
    at = end
  }
  return strings
}

/** The fields in wire form, one after the other. */
export const writeStrings = (...fields: readonly Uint8Array[]): Buffer =>
  Buffer.concat(fields.flatMap((field) => [uint32(field.length), field]))

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/**
 * The two integers of an ECDSA signature (RFC 5656, section 3.1.2), each as `size` bytes one after the other; undefined if
 * they are not two, or too long.
 */
export function plainEcdsa(signature: Buffer, size: number): Buffer | undefined {
  const numbers = readStrings(signature)?.map((number) => {
    const first = number.findIndex((byte) => byte !== 0)
    return first < 0 ? number.subarray(number.length) : number.subarray(first)
  })
  if (numbers?.length !== 2 || numbers.some((number) => number.length > size)) return undefined
  return Buffer.concat(numbers.flatMap((number) => [Buffer.alloc(size - number.length), number]))
}
