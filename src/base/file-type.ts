/** The number of bytes at a file's start that `fileType` needs. */
export const HEAD_BYTES = 4_096

/** Signatures in Latin-1, from the formats' specifications; `?` is any byte. */
const SIGNATURES: readonly (readonly [signature: string, type: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'PNG picture'],
  ['\xff\xd8\xff', 'JPEG picture'],
  ['GIF87a', 'GIF picture'],
  ['GIF89a', 'GIF picture'],
  ['RIFF????WEBP', 'WebP picture'],
  ['%PDF-', 'PDF'],
  ['PK\x03\x04', 'ZIP archive'],
  ['PK\x05\x06', 'ZIP archive'],
  ['\x1f\x8b', 'gzip archive'],
  ['\x28\xb5\x2f\xfd', 'zstd archive'],
  ['\xfd7zXZ\0', 'xz archive'],
  ['\x7fELF', 'program'],
  ['SQLite format 3\0', 'SQLite database'],
]

/** Returns a known signature's type, `text` (UTF-8), `empty` or `data`. */
export function fileType(head: Uint8Array): string {
  if (head.length === 0) return 'empty'
  const begins = (signature: string): boolean =>
    [...signature].every((sign, at) => sign === '?' || head[at] === sign.charCodeAt(0))
  const known = SIGNATURES.find(([signature]) => begins(signature))
  if (known) return known[1]
  return isText(head.subarray(0, HEAD_BYTES)) ? 'text' : 'data'
}

/** Allows a character that is cut at the end of `head`. */
function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
