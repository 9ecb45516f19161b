const UNITS = ['KiB', 'MiB', 'GiB', 'TiB']

/** A size as people read it: `999 B`, `1.2 KiB`, `15 MiB`: binary units, one digit after the point below ten. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`
  let size = count / 1024
  let unit = 0
  while (size >= 1023.5 && unit < UNITS.length - 1) [size, unit] = [size / 1024, unit + 1]
  return `${size < 9.95 ? size.toFixed(1).replace(/\.0$/, '') : Math.round(size)} ${UNITS[unit]}`
}

/** Size of a text in UTF-8. */
export const utf8Bytes = (text: string): number =>
  /^[\0-\u007f]*$/.test(text) ? text.length : new TextEncoder().encode(text).length
