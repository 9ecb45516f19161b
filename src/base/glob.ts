/** `*` matches any run, `?` one code point. Takes O(pattern × text) steps, so that no pattern is slow. */
export function globMatches(pattern: readonly string[], text: readonly string[]): boolean {
  let at = 0
  let star = -1
  let starText = 0
  let position = 0
  while (position < text.length) {
    const wanted = at < pattern.length ? pattern[at] : undefined
    if (wanted === '*') {
      star = at
      starText = position
      at += 1
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[position])) {
      at += 1
      position += 1
    } else if (star >= 0) {
      at = star + 1
      starText += 1
      position = starText
    } else return false
  }
  while (at < pattern.length && pattern[at] === '*') at += 1
  return at === pattern.length
}

export function compileGlob(pattern: string): (text: string) => boolean {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern
  const points = Array.from(pattern.replace(/\*+/g, '*'))
  return (text) => globMatches(points, Array.from(text))
}
