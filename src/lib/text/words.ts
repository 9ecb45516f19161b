/**
 * The first word of a command line and what follows it. Words are parted by spaces and tabs; the blanks
 * around the word are dropped, the rest stays as it is to its last byte. Both are empty for a blank line.
 */
export function takeWord(text: string): { readonly word: string; readonly rest: string } {
  const start = text.replace(/^[ \t]+/u, '')
  const end = start.search(/[ \t\n]/u)
  if (end === -1) return { word: start, rest: '' }
  return { word: start.slice(0, end), rest: start.slice(end).replace(/^[ \t]+/u, '') }
}
