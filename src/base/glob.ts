/**
 * Matches `*` to any run and `?` to one code point. Takes at most (pattern + 1) × (text + 1) steps, so that a
 * room's owner cannot make it slow.
 */
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
