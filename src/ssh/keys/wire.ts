/** Reads fields of RFC 4251, section 5, in order. Each method throws `RangeError` at the end of the bytes. */
export class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  string(): Buffer {
    return this.#take(this.uint32())
  }

  /** Reads a string that contains a list of strings. */
  strings(): readonly Buffer[] {
    const list = readStrings(this.string())
    if (!list) throw new RangeError('a list ends too early')
    return list
  }

  uint32(): number {
    return this.#take(4).readUInt32BE()
  }

  uint64(): bigint {
    return this.#take(8).readBigUInt64BE()
  }

  position(): number {
    return this.#at
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new RangeError('the bytes end too early')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}

/** Splits bytes into strings; undefined if the strings do not fill the bytes exactly. */
export function readStrings(bytes: Buffer): Buffer[] | undefined {
  const reader = new Reader(bytes)
  const strings: Buffer[] = []
  try {
    while (reader.position() < bytes.length) strings.push(reader.string())
    return strings
  } catch {
    return undefined
  }
}

export const writeStrings = (...fields: readonly Uint8Array[]): Buffer =>
  Buffer.concat(fields.flatMap((field) => [writeUint32(field.length), field]))

export function writeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
