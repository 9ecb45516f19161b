/** FNV-1a over UTF-16 code units, 32 bits: short and stable, for names and cut points, never for secrets. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** The hash as eight hexadecimal digits. */
export const shortHash = (text: string): string => fnv1a(text).toString(16).padStart(8, '0')
