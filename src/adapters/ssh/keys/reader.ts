import { readStrings } from './ssh-strings.ts'

/** Reads the fields of RFC 4251, section 5, one after the other. Every method throws `RangeError` past the end. */
export interface Reader {
  string(): Buffer
  /** A string that is itself a list of strings. */
  strings(): readonly Buffer[]
  uint32(): number
  uint64(): bigint
  /** How many bytes have been read. */
  position(): number
}

export function createReader(bytes: Buffer): Reader {
  let at = 0
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new RangeError('the bytes end too early')
    at += length
    return bytes.subarray(at - length, at)
  }
  const string = (): Buffer => take(take(4).readUInt32BE())
  return {
    string,
    strings() {
      const list = readStrings(string())
      if (!list) throw new RangeError('a list ends too early')
      return list
    },
    uint32: () => take(4).readUInt32BE(),
    uint64: () => take(8).readBigUInt64BE(),
    position: () => at,
  }
}
