/** Splits off the first word, without spaces and tabs around it. The rest is unchanged. */
export function takeWord(text: string): { readonly word: string; readonly rest: string } {
  const start = text.replace(/^[ \t]+/u, '')
  const end = start.search(/[ \t\n]/u)
  if (end === -1) return { word: start, rest: '' }
  return { word: start.slice(0, end), rest: start.slice(end).replace(/^[ \t]+/u, '') }
}
